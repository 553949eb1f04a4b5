import type {
  Fetch,
  MediaItem,
  Post,
  PublishJob,
  VideoFacts,
} from "../../../src/platforms/connector.ts";
import { type FacebookSettings, settings } from "../../../src/platforms/facebook/settings.ts";

/** A call that was made, with its body read. */
export interface Call {
  method: string;
  origin: string;
  path: string;
  query: Record<string, string>;
  form: Record<string, string>;
  headers: Headers;
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
  );

async function readForm(request: Request): Promise<Record<string, string>> {
  const type = request.headers.get("content-type") ?? "";
  if (type === "") return {};
  const fields: [string, string][] = [];
  for (const [name, value] of await request.formData()) {
    fields.push([name, typeof value === "string" ? value : await value.text()]);
  }
  return Object.fromEntries(fields);
}

/** Answers the calls in their order. A call that nobody expects fails the test. */
export function scriptedFetch(...answers: Answer[]) {
  const calls: Call[] = [];
  const left = [...answers];
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    calls.push({
      method: request.method,
      origin: url.origin,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      form: await readForm(request),
      headers: request.headers,
      redirect: request.redirect,
    });
    const answer = left.shift();
    if (!answer) throw new Error(`Nobody expected ${request.method} ${request.url}`);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { fetch, calls };
}

export const PAGE = "112233445566778";
export const VIDEO = "9007199254740993";
export const NOW = new Date("2026-12-01T09:00:00.000Z");
export const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

/** The answer to a look at a video. */
export const status = (
  video_status: string,
  phases: {
    uploading?: object | string;
    processing?: object | string;
    publishing?: object | string;
  } = {},
  more: object = {},
) => {
  const phase = (given: object | string | undefined) =>
    typeof given === "string" ? { status: given } : given;
  return json({
    id: VIDEO,
    status: {
      video_status,
      uploading_phase: phase(phases.uploading),
      processing_phase: phase(phases.processing),
      publishing_phase: phase(phases.publishing),
    },
    ...more,
  });
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
  sizeBytes: 10,
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

export const post = (change: PostChange = {}): Post<FacebookSettings, MediaItem> => ({
  title: null,
  description: "Some words",
  media: [],
  ...change,
  settings: settings.parse(change.settings ?? {}),
});

const BYTES = "0123456789";

export const job = (
  fetch: Fetch,
  change: { post?: PostChange; now?: Date; facts?: VideoFacts | null } = {},
): PublishJob<FacebookSettings> => ({
  post: post(change.post),
  account: { platformAccountId: PAGE, handle: "ada", service: null },
  accessToken: "page-token",
  uploadId: 41,
  attempt: 1,
  fetch,
  now: () => change.now ?? NOW,
  readMedia: async (_, range) => {
    const { offset = 0, length = BYTES.length } = range ?? {};
    return new Blob([BYTES.slice(offset, offset + length)]).stream();
  },
  inspectVideo: async () => (change.facts === undefined ? FACTS : change.facts),
  mediaUrl: async (item, form = "original") =>
    `https://akimbo.test/media/${item.sha256.slice(0, 2)}/${form}`,
});
