import { expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import type { Fetch } from "../../../src/platforms/connector.ts";
import { connectorOf } from "../../../src/platforms/registry.ts";
import { blueskySimulator } from "../../../src/sandbox/bluesky/index.ts";
import type { Simulator } from "../../../src/sandbox/kit/simulator.ts";
import type { SimulatedCall } from "../../../src/sandbox/kit/state-call.ts";
import { pinterestSimulator } from "../../../src/sandbox/pinterest/index.ts";
import { xSimulator } from "../../../src/sandbox/x/index.ts";
import { youtubeSimulator } from "../../../src/sandbox/youtube/index.ts";
import type { Fields } from "../../support/harness.ts";
import {
  jpeg,
  mp4,
  openStage,
  png,
  type Stage,
  temporary,
  type Wrap,
} from "../../support/stage.ts";
import { lasting, verticalMp4 } from "../../support/videos.ts";
import { type RecordedCall, toLine } from "./recording.ts";

// Publishes every kind of post through the real connectors to the simulated platforms, rehearses and reads
// figures, and prints the calls that were made. They are judged outside of the Workers runtime, where the
// contracts are.

const gif = () =>
  new Blob([Uint8Array.fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")]);

/** With room behind it: more than one part of an upload. */
function longMp4(sizeBytes: number): Blob {
  const bytes = new Uint8Array(sizeBytes);
  bytes.set(verticalMp4);
  return mp4(bytes);
}

type Kind = [name: string, fields: (stage: Stage) => Fields, answer?: Answer];
/** Answers a call in the platform's place; null leaves it to the simulator. */
type Answer = (call: SimulatedCall, simulate: () => Promise<Response>) => Promise<Response | null>;

const LOST = "[sandbox:lost_reply]";

const X_KINDS: Kind[] = [
  ["a text", () => ({ title: "Look" })],
  [
    "all flags",
    () => ({
      title: "Look",
      x_made_with_ai: "true",
      x_paid_partnership: "true",
      x_community_id: "1493446837214187523",
      x_share_with_followers: "true",
    }),
  ],
  ["super followers", () => ({ title: "Look", x_super_followers_only: "true" })],
  ...["following", "mentionedUsers", "subscribers", "verified"].map(
    (who): Kind => [`replies: ${who}`, () => ({ title: who, x_reply_settings: who })],
  ),
  ["a poll", () => ({ title: "Tea?", x_poll_options: "Tea, Coffee, Water" })],
  [
    "images",
    () => ({
      title: "Look",
      photo: [jpeg(), png(), jpeg(), png()],
      x_alt_text: "A square",
      x_tagged_users: '["grace","linus"]',
    }),
  ],
  ["a GIF", () => ({ title: "Look", photo: gif() })],
  [
    "a video with subtitles",
    () => ({
      title: "Look",
      video: longMp4(3_000_000),
      x_subtitles_url: "https://subtitles.sandbox.test/hello.srt",
      x_subtitles_language: "de",
    }),
  ],
  [
    "a video of three minutes with subtitles",
    () => ({
      title: "Look",
      video: mp4(lasting(180)),
      x_subtitles_url: "https://subtitles.sandbox.test/hello.srt",
    }),
  ],
  ["a lost answer", () => ({ title: `Lost ${LOST}` })],
  [
    "a thread with a lost answer",
    () => ({ title: "First", thread: JSON.stringify([`Second ${LOST}`, "Third"]) }),
  ],
];

const YOUTUBE_KINDS: Kind[] = [
  ["a video", () => ({ title: "Look", video: mp4() })],
  [
    "all fields and a thumbnail",
    () => ({
      title: "Look",
      description: "More",
      video: mp4(),
      thumbnail: jpeg(),
      tags: "one, two words",
      categoryId: "10",
      privacyStatus: "unlisted",
      license: "creativeCommon",
      selfDeclaredMadeForKids: "false",
      containsSyntheticMedia: "true",
      hasPaidProductPlacement: "true",
      defaultLanguage: "en",
      defaultAudioLanguage: "pt-BR",
      recordingDate: "2026-11-01",
      blockedCountries: "DE,AT",
      notifySubscribers: "false",
    }),
  ],
  [
    "a scheduled video",
    () => ({ title: "Soon", video: mp4(), scheduledDate: "2026-12-24T18:00:00+01:00" }),
  ],
  ["a lost answer", () => ({ title: `Lost ${LOST}`, video: mp4() })],
  [
    "a first comment with a lost answer",
    () => ({ title: "Look", video: mp4(), first_comment: `More ${LOST}` }),
  ],
];

const BLUESKY_KINDS: Kind[] = [
  [
    "a text with facets, languages and labels",
    () => ({
      description: "Hello @grace.test, see https://example.com/a and #tag",
      bluesky_langs: "en,de",
      bluesky_labels: "graphic-media",
    }),
  ],
  ["an image", () => ({ description: "Look", photo: jpeg(), bluesky_alt_text: "A square" })],
  ["four images", () => ({ description: "Look", photo: [jpeg(), png(), jpeg(), png()] })],
  ["a video", () => ({ description: "Look", video: longMp4(12_000_000) })],
  [
    "a whole video",
    () => ({ description: "Look", video: mp4(), bluesky_alt_text: "A film" }),
    async ({ url }) =>
      url.pathname.endsWith(".startUpload")
        ? Response.json({ error: "MethodNotImplemented" }, { status: 501 })
        : null,
  ],
  ["a lost answer", () => ({ description: `Lost ${LOST}` })],
];

const boardOf = async (stage: Stage): Promise<string> => {
  const path = `/pinterest/boards?accountId=${stage.accountId}`;
  const answer = await stage.harness.call("GET", path, { token: stage.member.token });
  return answer.body.data[0].id;
};

const cannotFetch: Answer = async ({ url, request }) => {
  if (url.pathname !== "/v5/pins" || !/image_urls?"/.test(await request.clone().text()))
    return null;
  const message = "Unable to reach the URL. Please check the URL and try again.";
  return Response.json({ code: 235, message }, { status: 400 });
};

const PIN = {
  title: "Look",
  description: "More",
  link: "https://example.com",
  alt_text: "A square",
};

const PINTEREST_KINDS: Kind[] = [
  ["an image", () => ({ ...PIN, photo: jpeg() })],
  ["a carousel", () => ({ ...PIN, photo: [jpeg(), jpeg()] })],
  ["an image that is sent along", () => ({ ...PIN, photo: jpeg() }), cannotFetch],
  ["a carousel that is sent along", () => ({ ...PIN, photo: [jpeg(), jpeg()] }), cannotFetch],
  ["a video", () => ({ ...PIN, video: mp4(), pinterest_cover_time_ms: "1600" })],
  ["a lost answer", () => ({ title: `Lost ${LOST}`, photo: jpeg() })],
];

/** Pinterest may leave the saves out of a pin's figures, as in its description's example. */
const withoutSaves: Answer = async ({ request, url }, simulate) => {
  if (url.pathname === "/v5/pins/analytics") {
    const ids = url.searchParams.get("pin_ids")?.split(",") ?? [];
    const saved = { all: { summary_metrics: { SAVE: 3 } } };
    return Response.json(Object.fromEntries(ids.map((id) => [id, saved])));
  }
  if (request.method !== "GET" || url.pathname !== "/v5/pins") return null;
  const reply = await simulate();
  return new Response((await reply.text()).replaceAll(/,"save":\d+/g, ""), reply);
};

const PLATFORMS: [Platform, Simulator, Kind[]][] = [
  ["x", xSimulator, X_KINDS],
  ["youtube", youtubeSimulator, YOUTUBE_KINDS],
  ["bluesky", blueskySimulator, BLUESKY_KINDS],
  ["pinterest", pinterestSimulator, PINTEREST_KINDS],
];

/** A body as JSON, as the texts and files of a form, or as the type and size of anything else. */
async function readBody(request: Request): Promise<RecordedCall["body"]> {
  if (!request.body) return null;
  const type = request.headers.get("content-type") ?? "";
  if (/^application\/json\b/.test(type)) {
    return { kind: "json", value: JSON.parse(await request.text(), shortened) };
  }
  if (/^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/.test(type)) {
    const form = await request.formData();
    const fields = [...form].map(([name, value]) => [
      name,
      typeof value === "string" ? value : null,
    ]);
    return { kind: "form", fields: Object.fromEntries(fields) };
  }
  return { kind: "bytes", type, sizeBytes: (await request.arrayBuffer()).byteLength };
}

/** Images as text are long, and all alike. */
const shortened = (key: string, value: unknown): unknown =>
  key === "data" && typeof value === "string" ? value.slice(0, 40) : value;

async function record(platform: Platform, kind: string, request: Request) {
  const { method, url } = request;
  const body = await readBody(request.clone());
  const headers = Object.fromEntries(request.headers);
  console.log(toLine({ platform, kind, method, url, headers, body }));
}

const recording =
  (platform: Platform, kind: string, answer?: Answer): Wrap =>
  async (call, simulate) => {
    await record(platform, kind, call.request);
    return (await answer?.(call, simulate)) ?? simulate();
  };

async function publish(stage: Stage, kind: string, fields: Fields): Promise<void> {
  const board: Fields =
    stage.account.platform === "pinterest" ? { pinterest_board_id: await boardOf(stage) } : {};
  const { upload } = await stage.publish({ ...board, ...fields });
  expect({ kind, status: upload.status, error: upload.errorMessage }).toEqual({
    kind,
    status: "completed",
    error: null,
  });
}

interface Step {
  data: { id: number; outcome: string; summary: string };
  next: string;
  afterSeconds: number;
}

async function take(stage: Stage, path: string, json: object): Promise<Step> {
  const { token } = stage.member;
  const { status, body } = await stage.harness.call("POST", path, { token, json });
  expect(status, body.error).toBe(200);
  return body;
}

/** More than any rehearsal takes. */
const MAX_STEPS = 60;

/** Publishes a post, reads it back and deletes it. */
async function rehearse(stage: Stage): Promise<void> {
  const begun = await take(stage, "/rehearsals", { accountId: stage.accountId });
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const path = `/rehearsals/${begun.data.id}/step`;
    const { data, next, afterSeconds } = await take(stage, path, { acceptPublic: true });
    if (next === "over") {
      expect(["removed", "left"], data.summary).toContain(data.outcome);
      return;
    }
    stage.harness.advance(afterSeconds);
  }
  throw new Error("The rehearsal does not end.");
}

/** Publishes, and reads the figures of the account. */
async function readFigures(stage: Stage, kind: string, fields: Fields): Promise<object> {
  await publish(stage, kind, fields);
  const { token } = stage.member;
  const answer = await stage.harness.call("POST", `/analytics/${stage.accountId}/sync`, { token });
  expect(answer.status, answer.body.error).toBe(200);
  expect(answer.body.data.syncErrors).toEqual([]);
  return answer.body.data;
}

for (const [platform, simulator, kinds] of PLATFORMS) {
  test(`${platform}: every kind of post`, async () => {
    for (const [kind, fieldsOf, answer] of kinds) {
      await temporary(simulator, recording(platform, kind, answer), async () => {
        const stage = await openStage(platform);
        await publish(stage, kind, fieldsOf(stage));
      });
    }
  });

  test(`${platform}: a rehearsal`, () =>
    temporary(simulator, recording(platform, "a rehearsal"), async () =>
      rehearse(await openStage(platform)),
    ));

  test(`${platform}: figures`, () =>
    temporary(simulator, recording(platform, "figures"), async () => {
      const stage = await openStage(platform);
      await readFigures(stage, "figures", kinds[0]?.[1](stage) ?? {});
    }));
}

test.each([
  ["x", xSimulator, { title: "First", thread: JSON.stringify(["Second", "Third"]) }],
  ["bluesky", blueskySimulator, { description: "First", thread: JSON.stringify(["Second"]) }],
] satisfies [Platform, Simulator, Fields][])(
  "%s: what is taken down",
  (platform, simulator, post) =>
    temporary(simulator, recording(platform, "what is taken down"), async () => {
      const stage = await openStage(platform);
      const { upload } = await stage.publish(post);
      const { token } = stage.member;
      const path = `/upload/${upload.id}/unpublish`;
      const { status, body } = await stage.harness.call("POST", path, { token });
      expect(status, body.error).toBe(200);
      expect(await stage.feed()).toEqual([]);
    }),
);

test("pinterest: figures without saves", async () => {
  const kind = "figures without saves";
  await temporary(pinterestSimulator, recording("pinterest", kind, withoutSaves), async () => {
    const figures = await readFigures(await openStage("pinterest"), kind, {
      photo: jpeg(),
      ...PIN,
    });
    expect(figures).toMatchObject({ bestPerforming: { mostEngaging: { shares: 3 } } });
  });
});

/** No contract is about the addresses at which X and Google check an app's keys. */
test("pinterest: a check of the app's keys", async () => {
  const unauthorized: Fetch = async (input, init) => {
    await record("pinterest", "a check of the app", new Request(input, init));
    return new Response(null, { status: 401 });
  };
  const keys = { clientId: "1", clientSecret: "secret" };
  const redirectUri = "https://akimbo.test/oauth/callback/pinterest";
  const checked = await connectorOf("pinterest").checkApp?.(unauthorized, keys, redirectUri);
  expect(checked?.verdict).toBe("wrong");
});
