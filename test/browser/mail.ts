import { setTimeout as sleep } from "node:timers/promises";
import type { Akimbo } from "../peers/akimbo.ts";

const MAIL_TIMEOUT_MS = 30_000;
const POLL_MS = 100;

/** Waits for the sign-in link that is mailed to somebody; a server without mail keeps it in its log. */
export async function mailedLink({ readLog }: Akimbo, address: string): Promise<string> {
  for (const end = Date.now() + MAIL_TIMEOUT_MS; Date.now() < end; await sleep(POLL_MS)) {
    for (const line of (await readLog()).split("\n")) {
      if (!line.startsWith('{"event":"mail.not_sent"')) continue;
      const { to, text } = JSON.parse(line) as { to: string; text: string };
      const [link] = /http\S+\/sign-in\/link\S+/.exec(text) ?? [];
      if (to === address && link) return link;
    }
  }
  throw new Error(`No link was mailed to ${address}.`);
}
