import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { theSandbox } from "../../src/sandbox/state.ts";

export const OURS = "name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'";

const countObjects = () =>
  env.DB.prepare(`SELECT count(*) FROM sqlite_master WHERE ${OURS}`).first<number>("count(*)");

const isEmpty = async () => {
  const posts = await theSandbox(env.SANDBOX_STATE).listPosts({ teamId: "all" });
  const { objects: files } = await env.MEDIA.list({ limit: 1 });
  return posts.length === 0 && files.length === 0 && (await countObjects()) === 0;
};

const MAX_RESETS = 10;

/**
 * Empties the database, the storage and the Durable Objects. One `reset` in fifty leaves one of them as it is,
 * though it says nothing; and what the file before had still under way may be written behind the first.
 */
export async function empty(): Promise<void> {
  for (let resets = 1; resets <= MAX_RESETS; resets++) {
    await reset();
    if ((await isEmpty()) && resets > 1) return;
  }
  throw new Error("What the file before has written is still there.");
}
