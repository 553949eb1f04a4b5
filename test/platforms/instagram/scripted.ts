import type {
  Bookmark,
  Fetch,
  MediaItem,
  Post,
  PublishJob,
  VideoFacts,
} from "../../../src/platforms/connector.ts";
import { type InstagramSettings, settings } from "../../../src/platforms/instagram/settings.ts";

/** A call that was made, with its body read. */
export interface Call {
  method: string;
  url: string;
  path: string;
  query: Record<string, string>;
  form: Record<string, string>;
  authorization: string | null;
  redirect: string;
}

type Answer = Response | Error;

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });

export const graphError = (
  code: number,
  subcode?: number,
  more: Record<string, unknown> = {},
  status = 400,
  headers: Record<string, string> = {},
) =>
  json(
    {
      error: {
        message: "For developers",
        type: "OAuthException",
        code,
        ...(subcode === undefined ? {} : { error_subcode: subcode }),
        fbtrace_id: "A",
        ...more,
      },
    },
    status,
    headers,
  );

/** Answers the calls in their order. A call that nobody expects fails the test. */
export function scriptedFetch(...answers: Answer[]) {
  const calls: Call[] = [];
  const left = [...answers];
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const body = new TextDecoder().decode(await request.arrayBuffer());
    calls.push({
      method: request.method,
      url: request.url,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      form: Object.fromEntries(new URLSearchParams(body)),
      authorization: request.headers.get("authorization"),
      redirect: request.redirect,
    });
    const answer = left.shift();
    if (!answer) throw new Error(`Nobody expected ${request.method} ${request.url}`);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { fetch, calls };
}

export const IG = "17841405793187218";
export const NOW = new Date("2026-12-01T09:00:00.000Z");
export const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

/** The answer to a look at a container. */
export const status = (status_code: string, text?: string) =>
  json({ id: "1", status_code, status: text });

/** Where a post stands right before it is published. */
export const READY: Bookmark = {
  stage: "container",
  containerId: "17",
  since: NOW.getTime() - 5_000,
  readyAt: NOW.getTime(),
};

export const image = (change: Partial<MediaItem> = {}): MediaItem => ({
  kind: "image",
  mime: "image/jpeg",
  sizeBytes: 1_234,
  sha256: "ab".repeat(32),
  width: 1_080,
  height: 1_080,
  ...change,
});

export const video = (change: Partial<MediaItem> = {}): MediaItem => ({
  kind: "video",
  mime: "video/mp4",
  sizeBytes: 2_500,
  sha256: "cd".repeat(32),
  width: null,
  height: null,
  ...change,
});

export const FACTS: VideoFacts = {
  container: "mp4",
  videoCodec: "avc",
  audioCodec: "aac",
  durationSeconds: 12,
  framesPerSecond: 30,
  width: 1_080,
  height: 1_920,
};

export type PostChange = Partial<Omit<Post<unknown, MediaItem>, "settings">> & {
  settings?: Record<string, unknown>;
};

export const post = (change: PostChange = {}): Post<InstagramSettings, MediaItem> => ({
  title: "A caption",
  description: null,
  media: [image()],
  ...change,
  settings: settings.parse(change.settings ?? {}),
});

export const job = (
  fetch: Fetch,
  change: { post?: PostChange; now?: Date; facts?: VideoFacts | null } = {},
): PublishJob<InstagramSettings> => ({
  post: post(change.post),
  account: { platformAccountId: IG, handle: "ada", service: null },
  accessToken: "access-token",
  uploadId: 41,
  attempt: 1,
  fetch,
  now: () => change.now ?? NOW,
  async readMedia() {
    throw new Error("Instagram pulls files.");
  },
  inspectVideo: async () => (change.facts === undefined ? FACTS : change.facts),
  mediaUrl: async (item, form = "original") =>
    `https://akimbo.test/media/${item.sha256.slice(0, 2)}/${form}`,
});
