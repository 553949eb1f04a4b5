import { mkdtemp } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type Random } from "../../src/cli/random.ts";
import type { Evidence } from "./findings.ts";
import { type Instance, post, startInstance } from "./instance.ts";
import { TOKEN } from "./token.ts";
import { printCounts } from "./verdicts.ts";
import type { Proof } from "./worlds.ts";

const BOUNDARY = "akimbo-prove";
const CALL_MS = 10_000;
/** The first file is in storage soon, the second, of several parts, is still coming when the end does. */
const LIFE_MS = [20, 600] as const;
const CHUNK = Buffer.alloc(512 * 1_024, 65);
const CHUNKS = 60;
const CHUNK_PAUSE_MS = 8;
const DAY_SECONDS = 86_400;
/** Past three at night UTC, when unused objects are looked for, and a day after the last of them. */
const NIGHT_SECONDS = 3 * 3_600 + 600;
const PAGES = 5;

const part = (field: string, type: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="f"\r\nContent-Type: ${type}\r\n\r\n`;

/** Sends a post of two files, slowly, until the connection breaks. */
async function sendSlowly({ origin }: Instance, accountId: string, i: number): Promise<void> {
  const call = request(`${origin}/api/v1/upload`, {
    method: "POST",
    agent: false,
    headers: {
      "x-api-key": TOKEN,
      "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
      "transfer-encoding": "chunked",
    },
  });
  let isBroken = false;
  call.on("error", () => {
    isBroken = true;
  });
  call.on("response", (response) => response.resume());
  const account = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="accountId"\r\n\r\n${accountId}\r\n`;
  call.write(account);
  call.write(`${part("photo", "image/gif")}GIF89a picture ${i}\r\n`);
  call.write(part("photo", "video/webm"));
  call.write(Buffer.from([0x1a, 0x45, 0xdf, 0xa3]));
  for (let n = 0; n < CHUNKS && !isBroken; n++) {
    call.write(CHUNK);
    await sleep(CHUNK_PAUSE_MS);
  }
  call.destroy();
}

/** Part D: the server killed while files stream in. Nothing of them may stay. */
export async function playBrokenUploads({ script, folder, seed, form, verdicts }: Proof) {
  const random: Random = createRandom(seed);
  const stateDir = await mkdtemp(join(folder, "broken-"));
  const start = (isNew: boolean, clockOffset = 0) =>
    startInstance({ script, stateDir, clockOffset, isNew });
  let instance = await start(true);
  const send = (path: string, body?: object): Promise<unknown> =>
    post(instance, path, { body, headers: { "x-api-key": TOKEN }, timeoutMs: CALL_MS });
  try {
    await send("/prove/team", {});
    const account = { platform: "instagram", sandbox: true, name: "Ada" };
    const { data } = (await send("/api/v1/accounts", account)) as { data: { id: string } };
    let leftBehind = 0;
    for (let kill = 0; kill < form.brokenUploads; kill++) {
      const sending = sendSlowly(instance, data.id, kill);
      await sleep(random.between(...LIFE_MS));
      await instance.kill();
      await sending;
      instance = await start(false);
    }
    leftBehind = ((await send("/prove/objects")) as { keys: string[] }).keys.length;
    const { uploads } = (await send("/prove/database")) as Pick<Evidence, "uploads">;
    const now = Date.now() / 1_000;
    const midnight = Math.ceil(now / DAY_SECONDS + 1) * DAY_SECONDS;
    await send("/sandbox/api/clock", {
      offsetSeconds: Math.round(midnight + NIGHT_SECONDS - now),
    });
    for (let page = 0; page < PAGES; page++) await send("/prove/tick");
    const { keys } = (await send("/prove/objects")) as { keys: string[] };
    console.log(`\nFiles that were streaming in: kill -9 ${form.brokenUploads} times`);
    printCounts("before the night", { "objects left behind": leftBehind });
    verdicts.check(`${uploads.length} uploads of requests that broke off`, uploads.length === 0);
    verdicts.check(
      `${keys.length} objects left after the clean-up of the night`,
      keys.length === 0,
      keys,
    );
  } finally {
    await instance.kill();
  }
}
