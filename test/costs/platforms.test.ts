import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Platform } from "../../src/core/platforms.ts";
import { createSandboxFetch } from "../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../src/sandbox/login.ts";
import { createMember, form, Harness } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { testJpeg, verticalMp4 } from "../support/videos.ts";

const jpeg = (i = 0) => new Blob([testJpeg, String(i)], { type: "image/jpeg" });
const video = () => new Blob([verticalMp4], { type: "video/mp4" });

type Cost = [roundTrips: number, rowsWritten: number, rowsRead: number, platformRequests: number];

/** What it costs to publish a post that is due, from its message to its outcome. */
const COSTS: [platform: Platform, what: string, fields: Parameters<typeof form>[0], cost: Cost][] =
  [
    ["tiktok", "a video", { title: "Film", video: video() }, [6, 11, 21, 4]],
    ["tiktok", "two photos", { title: "Photos", photo: [jpeg(), jpeg(1)] }, [7, 10, 26, 3]],
    ["instagram", "a photo", { title: "Photo", photo: jpeg() }, [9, 15, 31, 5]],
    ["instagram", "a reel", { title: "Film", video: video() }, [9, 15, 31, 5]],
    [
      "instagram",
      "a carousel of two",
      { title: "Photos", photo: [jpeg(), jpeg(1)] },
      [15, 22, 52, 10],
    ],
  ];

const named = ([trips, written, read, requests]: Cost) =>
  `${trips} round trips, ${written} rows written, ${read} read, ${requests} platform requests`;

test.each(
  COSTS.map(
    ([platform, what, fields, cost]) =>
      [`${platform}, ${what}: ${named(cost)}`, platform, fields, cost] as const,
  ),
)("%s", async (_, platform, fields, cost) => {
  const harness = new Harness();
  const member = await createMember();
  const { token, teamId } = member;
  harness.network = createSandboxFetch(env.SANDBOX_STATE, {
    ...{ teamId, accountId: null, uploadId: null },
  });
  const { accessToken } = sandboxCredentials(platform, `Ada ${teamId}`);
  const account = await harness.call("POST", "/accounts", {
    token,
    json: { platform, credentials: { accessToken } },
  });
  const body = form({ accountId: account.body.data.id, ...fields });
  const created = await harness.call("POST", "/upload", { token, body });
  expect(created.body).toMatchObject({ success: true });
  const { costs } = await measure(harness, () => harness.drain());
  const read = await harness.call("GET", `/upload/${created.body.data.uploadId}`, { token });
  expect(read.body.data).toMatchObject({ status: "completed" });
  const { rowsWritten, rowsRead } = costs;
  const found: Cost = [costs.roundTrips.length, rowsWritten, rowsRead, costs.fetches.length];
  expect(named(found)).toBe(named(cost));
});
