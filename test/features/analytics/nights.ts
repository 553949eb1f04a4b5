import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import { connectMeasured, measuredPost } from "../../platforms/measured.ts";
import type { Measured } from "../../platforms/row.ts";
import { createMember, form, Harness, type Member } from "../../support/harness.ts";

export const HOURS = 3_600;
const isPositive = (n: number) => n > 0;

/** A team whose accounts are measured at night. */
export class Nights {
  readonly harness = new Harness();
  readonly owner: Member;

  private constructor(owner: Member) {
    this.owner = owner;
  }

  static async begin(): Promise<Nights> {
    // Tests share their nights.
    await env.DB.batch(
      ["DELETE FROM chores", "UPDATE accounts SET deleted_at = 1"].map((sql) =>
        env.DB.prepare(sql),
      ),
    );
    return new Nights(await createMember());
  }

  async read(path: string) {
    const { token } = this.owner;
    return (await this.harness.call("GET", `/analytics/${path}`, { token })).body.data;
  }

  connect(platform: Platform): Promise<string> {
    return connectMeasured(this.harness, this.owner, platform);
  }

  async post(accountId: string, platform: Platform, text: string): Promise<number> {
    const { token } = this.owner;
    const body = form({ ...(await measuredPost(this.owner, platform, text)), accountId });
    const answer = await this.harness.call("POST", "/upload", { token, body });
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
    await this.harness.drain();
    return answer.body.data.uploadId;
  }

  /** Runs the ticks and messages of the next night. */
  async pass() {
    this.harness.advance(24 * HOURS);
    for (let tick = 0; tick < 2; tick++) {
      await this.harness.tick();
      this.harness.advance(60);
    }
    return this.harness.drainCollections();
  }
}

export async function expectMeasured(platform: Platform, { counts, hasViews }: Measured) {
  const nights = await Nights.begin();
  const id = await nights.connect(platform);
  const uploadId = await nights.post(id, platform, "First #Cats and #dogs");
  await nights.pass();
  const first = await nights.read(id);
  expect(first.syncErrors).toEqual([]);
  expect(first.videos).toMatchObject([{ source: "mut", uploadId, platform }]);
  expect(first.videos[0].title).toContain("First #Cats");
  expect(first.topHashtags.map(({ tag }: { tag: string }) => tag).sort()).toEqual(["cats", "dogs"]);
  expect(first.summary.followers.total).toBeGreaterThan(0);
  const second = await nights.post(id, platform, "Second");
  await nights.pass();
  await nights.pass();
  const { videos, dailyHistory, overview, syncErrors } = await nights.read(id);
  expect(syncErrors).toEqual([]);
  expect(videos.map(({ uploadId: own }: { uploadId: number }) => own)).toEqual([second, uploadId]);
  expect(dailyHistory).toHaveLength(3);
  const gained = dailyHistory.reduce(
    (sum: number, day: Record<string, number>) => sum + (day[counts] ?? 0),
    0,
  );
  const total = counts === "shares" ? "totalShares" : "totalLikes";
  expect(gained).toBe(overview[total] - first.overview[total]);
  expect(overview.totalViews > 0).toBe(hasViews);
  expect(dailyHistory[2].views).toEqual(hasViews ? expect.toSatisfy(isPositive) : null);
}
