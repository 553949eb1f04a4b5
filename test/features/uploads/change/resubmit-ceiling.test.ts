import { expect, test } from "vitest";
import type { Platform } from "../../../../src/core/platforms.ts";
import { digitsOf } from "../../../../src/sandbox/kit/logins.ts";
import { SIMULATED_PLATFORMS } from "../../../../src/sandbox/registry.ts";
import type { Seen } from "../../../prove/protocol.ts";
import { findProtocol } from "../../../prove/protocols.ts";
import { openStage, passing } from "../../../support/stage.ts";

/** Seconds before the second, third and fourth call that cannot be undone. */
const WAITS = [30, 120, 600];
const MINUTES = 45;

/** The posts of a person on LinkedIn cannot be asked for, nor can TikTok's photos: nobody asks, or sends again. */
const CASES: [Platform, string, number, number][] = [
  ["bluesky", "text", 0, 4],
  ["tiktok", "photos", 0, 1],
  ["tiktok", "a video", 1, 4],
  ["instagram", "a video", 0, 4],
  ["instagram", "a photo", 1, 4],
  ["facebook", "text", 0, 4],
  ["facebook", "a photo", 1, 4],
  ["facebook", "a video", 2, 4],
  ["youtube", "a video", 0, 4],
  ["linkedin", "text", 0, 4],
  ["linkedin", "a photo", 1, 4],
  ["pinterest", "a video", 0, 4],
  ["pinterest", "a photo", 1, 4],
  ["threads", "text", 1, 4],
  ["threads", "a photo", 2, 4],
  ["x", "text", 0, 4],
  ["x", "a photo", 1, 4],
];

const isPut = ({ url }: Seen) => url.pathname.endsWith(".putRecord");

/** Posts to a platform whose last call fails every time; when those were made, and the record. */
async function postInVain(platform: Platform, i: number) {
  const protocol = findProtocol(platform);
  const simulated = SIMULATED_PLATFORMS.find((one) => one.platform === platform);
  if (!simulated) throw new Error(`${platform} is not simulated.`);
  const pageOf = (name: string) => digitsOf("linkedin", `${name} Works`, 9);
  const stage = await openStage(platform, platform === "linkedin" ? { pageOf } : {});
  const fields = new FormData();
  fields.set("accountId", stage.accountId);
  fields.set(protocol?.textField ?? "description", `Post ${i} plain`);
  await protocol?.fill(fields, i, stage.name);
  const { harness, member } = stage;
  const answer = await harness.call("POST", "/upload", { token: member.token, body: fields });
  const calledAt: number[] = [];
  await passing(
    await simulated.load(),
    async ({ request, url }, go) => {
      const { method, headers } = request;
      const body = request.body ? await request.clone().text() : "";
      const seen: Seen = { method, url, headers, body };
      const isLast = protocol ? protocol.kindOf(seen) === "submit" : isPut(seen);
      if (!isLast) return go();
      calledAt.push(Date.now());
      await request.body?.cancel();
      return new Response("{}", { status: 503 });
    },
    async () => {
      for (let minute = 0; minute < MINUTES; minute++) {
        await harness.drain(100);
        harness.advance(60);
        await harness.tick();
      }
    },
  );
  return {
    calledAt,
    record: await stage.read(answer.body.data.uploadId),
    feed: await stage.feed(),
  };
}

test.each(CASES)(
  "%s, %s: with the platform down the last call is made 1 + 3 times at most, 30, 120 and 600 s apart",
  async (platform, _, i, calls) => {
    const { calledAt, record, feed } = await postInVain(platform, i);
    expect(calledAt).toHaveLength(calls);
    const waits = calledAt.slice(1).map((at, n) => (at - (calledAt[n] ?? 0)) / 1_000);
    for (const [n, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(WAITS[n] ?? 0);
    expect(record).toMatchObject({ status: "failed" });
    const code = calls === 1 ? "platform_processing_timeout" : "platform_unavailable";
    expect(record.failure.code).toBe(code);
    expect(feed).toEqual([]);
  },
  60_000,
);
