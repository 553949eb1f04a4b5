import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import { DAY, SECOND } from "../../../src/core/time.ts";
import { connectMeasured } from "../../platforms/measured.ts";
import { createMember, Harness } from "../../support/harness.ts";
import { follow, stageOf } from "../../support/stage.ts";

test.each<Platform>(["x", "bluesky", "threads"])(
  "a thread on %s is one post, with the sums of its posts' figures",
  async (platform) => {
    const harness = new Harness();
    const owner = await createMember();
    const accountId = await connectMeasured(harness, owner, platform);
    const account = stageOf(harness, owner, accountId, () => ({}));
    const thread = JSON.stringify(["Two", "Three"]);
    const id = await account.post({ title: "One", description: "One", thread });
    await follow(account, id);
    harness.advance((3 * DAY) / SECOND);
    const { status, body } = await harness.call("POST", `/analytics/${accountId}/sync`, {
      token: owner.token,
    });
    expect(status).toBe(200);
    const stored = await env.DB.prepare("SELECT posts FROM analytics_posts WHERE account_id = ?")
      .bind(accountId)
      .first<string>("posts");
    const posts: { text: string; uploadId: number; counters: number[] }[] = JSON.parse(
      stored ?? "[]",
    );
    expect(posts.map(({ text }) => text).toSorted()).toEqual(["One", "Three", "Two"]);
    const likes = posts.reduce((sum, { counters }) => sum + (counters[1] ?? 0), 0);
    expect(likes).toBeGreaterThan(0);
    expect(body.data).toMatchObject({
      overview: { videoCount: 1, totalLikes: likes },
      videos: [{ source: "mut", uploadId: id, title: "One", likes }],
      syncErrors: [],
    });
  },
);
