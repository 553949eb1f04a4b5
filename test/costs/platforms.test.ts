import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import type { Platform } from "../../src/core/platforms.ts";
import { sandboxLogin } from "../../src/sandbox/bluesky/identity.ts";
import { createSandboxFetch } from "../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../src/sandbox/kit/login.ts";
import { digitsOf } from "../../src/sandbox/kit/logins.ts";
import { boardsOf } from "../../src/sandbox/pinterest/boards.ts";
import { picture } from "../platforms/google_business/row.ts";
import { createMember, type Fields, form, Harness } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { testJpeg, verticalMp4 } from "../support/videos.ts";
import { store } from "./support.ts";

const jpeg = (i = 0) => new Blob([testJpeg, String(i)], { type: "image/jpeg" });
const video = () => new Blob([verticalMp4], { type: "video/mp4" });
/** LinkedIn takes none that is smaller. */
const largeVideo = () => new Blob([verticalMp4, new Uint8Array(75_000)], { type: "video/mp4" });
const pdf = () => new Blob(["%PDF-1.7 of one line"], { type: "application/pdf" });

type Cost = [roundTrips: number, rowsWritten: number, rowsRead: number, platformRequests: number];

/** A person's login, unless it is to publish as one of their pages. */
type Actor = Platform | "linkedin page";

/** The cost of publishing a due post, from its message to its outcome. */
const COSTS: [actor: Actor, what: string, fields: Fields, cost: Cost][] = [
  ["tiktok", "a video", { title: "Film", video: video() }, [6, 11, 21, 4]],
  ["tiktok", "two photos", { title: "Photos", photo: [jpeg(), jpeg(1)] }, [7, 10, 26, 3]],
  ["instagram", "a photo", { title: "Photo", photo: jpeg() }, [9, 15, 29, 5]],
  ["instagram", "a reel", { title: "Film", video: video() }, [9, 15, 29, 5]],
  [
    "instagram",
    "a story",
    { title: "Story", photo: jpeg(), media_type: "STORIES" },
    [7, 11, 22, 4],
  ],
  [
    "instagram",
    "a carousel of two",
    { title: "Photos", photo: [jpeg(), jpeg(1)] },
    [15, 22, 48, 10],
  ],
  ["facebook", "a text", { description: "Text" }, [5, 10, 16, 2]],
  ["facebook", "a link", { description: "Text", link: "https://example.com/" }, [5, 10, 16, 2]],
  ["facebook", "a photo", { description: "Photo", photo: jpeg() }, [6, 10, 21, 2]],
  [
    "facebook",
    "an album of two",
    { description: "Photos", photo: [jpeg(), jpeg(1)] },
    [9, 12, 28, 4],
  ],
  ["facebook", "a video", { description: "Film", video: video() }, [7, 12, 22, 4]],
  [
    "facebook",
    "a reel",
    { description: "Film", video: video(), media_type: "REELS" },
    [9, 15, 29, 6],
  ],
  ["youtube", "a video", { title: "Film", video: video() }, [6, 11, 21, 3]],
  ["linkedin", "a text", { description: "Text" }, [3, 6, 11, 1]],
  ["linkedin", "a photo", { description: "Photo", photo: jpeg() }, [5, 10, 20, 3]],
  ["linkedin", "two photos", { description: "Photos", photo: [jpeg(), jpeg(1)] }, [6, 11, 25, 5]],
  ["linkedin", "a document", { description: "Paper", photo: pdf() }, [5, 10, 20, 3]],
  ["linkedin", "a video", { description: "Film", video: largeVideo() }, [7, 12, 22, 5]],
  [
    "linkedin page",
    "two photos",
    { description: "Photos", photo: [jpeg(), jpeg(1)] },
    [6, 11, 25, 7],
  ],
  ["pinterest", "a photo", { title: "Photo", photo: jpeg() }, [4, 6, 14, 1]],
  ["pinterest", "a carousel of two", { title: "Photos", photo: [jpeg(), jpeg(1)] }, [5, 6, 17, 1]],
  ["pinterest", "a video", { title: "Film", video: video() }, [8, 15, 28, 5]],
  ["bluesky", "a text", { description: "Text" }, [3, 6, 11, 1]],
  ["bluesky", "a photo", { description: "Photo", photo: jpeg() }, [3, 6, 13, 2]],
  ["bluesky", "two photos", { description: "Photos", photo: [jpeg(), jpeg(1)] }, [3, 6, 15, 3]],
  ["bluesky", "a video", { description: "Film", video: video() }, [10, 17, 30, 9]],
  ["threads", "a text", { title: "Text" }, [7, 14, 21, 4]],
  ["threads", "a photo", { title: "Photo", photo: jpeg() }, [8, 14, 28, 4]],
  ["threads", "a video", { title: "Film", video: video() }, [10, 18, 35, 5]],
  ["threads", "a carousel of two", { title: "Photos", photo: [jpeg(), jpeg(1)] }, [14, 21, 47, 9]],
  ["x", "a text", { title: "Text" }, [4, 11, 30, 1]],
  ["x", "a poll", { title: "Poll", x_poll_options: "Once,Twice" }, [4, 11, 30, 1]],
  ["x", "a photo", { title: "Photo", photo: jpeg() }, [5, 12, 33, 2]],
  ["x", "two photos", { title: "Photos", photo: [jpeg(), jpeg(1)] }, [6, 13, 36, 3]],
  ["x", "a video", { title: "Film", video: video() }, [9, 18, 42, 5]],
  ["google_business", "a text", { description: "Text" }, [5, 10, 16, 2]],
  ["google_business", "a photo", { description: "Photo", photo: picture() }, [6, 10, 21, 2]],
];

/** Returns the body of `POST /accounts` for an account of this name at the simulator. */
async function connectionOf(actor: Actor, name: string): Promise<object> {
  if (actor === "bluesky") return { platform: actor, ...sandboxLogin(name) };
  const platform = actor === "linkedin page" ? "linkedin" : actor;
  const { accessToken } = sandboxCredentials(platform, name);
  const pageId = { pageId: await digitsOf("linkedin", `${name} Works`, 9) };
  return { platform, credentials: { accessToken }, ...(platform === actor ? {} : pageId) };
}

async function requiredOf(actor: Actor, name: string): Promise<Fields> {
  if (actor !== "pinterest") return {};
  const [board] = await boardsOf(name);
  return { pinterest_board_id: board?.id ?? "" };
}

const named = ([trips, written, read, requests]: Cost) =>
  `${trips} round trips, ${written} rows written, ${read} read, ${requests} platform requests`;

/** Chance decides which entry is beside ours in an index; with none beside it, one row less is read. */
beforeAll(async () => {
  await store(
    ["aaa", "zzz"].map(
      (
        account,
      ) => `INSERT INTO uploads (team_id, account_id, platform, status, status_group, settings,
        media, sort_at, created_at, counted_at)
        VALUES (0, '${account}', 'x', 'completed', 'completed', '{}', '[]', 0, 0, ${Date.now()})`,
    ),
  );
});

test.each(
  COSTS.map(
    ([actor, what, fields, cost]) =>
      [`${actor}, ${what}: ${named(cost)}`, actor, fields, cost] as const,
  ),
)("%s", async (_, actor, fields, cost) => {
  const harness = new Harness();
  const member = await createMember();
  const { token, teamId } = member;
  harness.network = createSandboxFetch(env.SANDBOX_STATE, {
    ...{ teamId, accountId: null, uploadId: null },
  });
  const name = `Ada ${teamId}`;
  const account = await harness.call("POST", "/accounts", {
    token,
    json: await connectionOf(actor, name),
  });
  expect(account.body).toMatchObject({ success: true });
  const body = form({
    accountId: account.body.data.id,
    ...fields,
    ...(await requiredOf(actor, name)),
  });
  const created = await harness.call("POST", "/upload", { token, body });
  expect(created.body).toMatchObject({ success: true });
  const { costs } = await measure(harness, () => harness.drain());
  const read = await harness.call("GET", `/upload/${created.body.data.uploadId}`, { token });
  expect(read.body.data).toMatchObject({ status: "completed" });
  const { rowsWritten, rowsRead } = costs;
  const found: Cost = [costs.roundTrips.length, rowsWritten, rowsRead, costs.fetches.length];
  expect(named(found)).toBe(named(cost));
});
