import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Misuse } from "../../src/cli/program.ts";
import { startAkimbo } from "./akimbo.ts";
import { createMastodonChecks } from "./mastodon-checks.ts";
import { createLossChecks } from "./mastodon-losses.ts";
import { createMastodonPosting } from "./mastodon-posting.ts";
import { mastodonServer } from "./mastodon-server.ts";
import { startRelay } from "./relay.ts";
import { runChecks, showLog } from "./run-checks.ts";

const USAGE = `Usage: npm run test:peers -- --mastodon <origin> --token <token> [--posts <number>]

Publishes to the account of the token, at a server of Mastodon's API: take an account that you can throw away, with a token
of the scopes read and write. The posts stay there, for followers only. --posts is how many are sent while answers are
lost, by default 200, a quarter of them with an image: a server that allows 30 files in half an hour needs fewer.`;

const USUAL_POSTS = 200;

interface Options {
  origin: string;
  token: string;
  posts: number;
}

/** Null where the caller names no server of Mastodon's API. */
export function readMastodonOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      mastodon: { type: "string" },
      token: { type: "string" },
      posts: { type: "string", default: String(USUAL_POSTS) },
      contracts: { type: "boolean" },
    },
  });
  const { mastodon, token } = values;
  if (mastodon === undefined) return null;
  const posts = Number(values.posts);
  if (!URL.canParse(mastodon) || !token || !(posts > 0)) throw new Misuse(USAGE);
  return { origin: new URL(mastodon).origin, token, posts };
}

/** How many checks there were, and how many failed. */
export async function runMastodon(
  { origin, token, posts }: Options,
  stopping: AbortSignal,
): Promise<[checks: number, failed: number]> {
  const folder = mkdtempSync(join(tmpdir(), "akimbo-peers-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  console.log("\nStarting Akimbo …\n");
  const akimbo = await startAkimbo(join(folder, "state"), {
    PLANS: JSON.stringify({ dailyCaps: { mastodon: posts * 2 + 100 } }),
  });
  const server = mastodonServer(origin, token);
  const world = {
    akimbo,
    server,
    relay: await startRelay(origin),
    mark: randomBytes(3).toString("hex"),
  };
  const posting = createMastodonPosting(world);
  const checks = [
    ...createMastodonChecks(world, posting),
    ...createLossChecks(world, posting, posts),
  ];
  const failed = await runChecks(checks, stopping);
  if (failed > 0) await showLog(akimbo);
  return [checks.length, failed];
}
