import type {
  Fetch,
  MediaItem,
  Post,
  PublishAccount,
  PublishJob,
  PulledForm,
  VideoFacts,
} from "../../../src/platforms/connector.ts";
import { settings, type TikTokSettings } from "../../../src/platforms/tiktok/settings.ts";

/** A call that was made, with its body read. */
export interface Call {
  method: string;
  url: string;
  path: string;
  headers: Record<string, string>;
  redirect: string;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was sent
  json: any;
  bytes: number;
}

export type Answer = Response | Error | ((call: Call) => Response | Error);

export const data = (value: object) =>
  Response.json({ data: value, error: { code: "ok", message: "", log_id: "log" } });

export const error = (status: number, code: string, message = `It says ${code}.`) =>
  Response.json({ data: {}, error: { code, message, log_id: "log" } }, { status });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Answers each call with the next answer of its path, given without `/v2/` and `post/publish/`. A call
 * that nobody expects fails the test.
 */
export function scriptedFetch(script: Record<string, Answer[]>) {
  const calls: Call[] = [];
  const left = new Map(Object.entries(script).map(([path, answers]) => [path, [...answers]]));
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const bytes = await request.arrayBuffer();
    const text = new TextDecoder().decode(bytes);
    const call: Call = {
      method: request.method,
      url: request.url,
      path: url.pathname.replace("/v2/", "").replace("post/publish/", ""),
      headers: Object.fromEntries(request.headers),
      redirect: request.redirect,
      text,
      json: parse(text),
      bytes: bytes.byteLength,
    };
    calls.push(call);
    const answer = left.get(call.path)?.shift();
    if (!answer) throw new Error(`Nobody expected ${request.method} ${request.url}`);
    const reply = typeof answer === "function" ? answer(call) : answer;
    if (reply instanceof Error) throw reply;
    return reply;
  };
  return { fetch, calls };
}

export const NOW = new Date("2026-12-01T09:00:00.123Z");
export const UPLOAD_URL = "https://open-upload.tiktokapis.com/video/?upload_id=1&upload_token=x";

export const CREATOR = {
  creator_username: "ada",
  creator_nickname: "Ada",
  privacy_level_options: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
  comment_disabled: false,
  duet_disabled: false,
  stitch_disabled: false,
  max_video_post_duration_sec: 300,
};

export const FACTS: VideoFacts = {
  container: "mp4",
  videoCodec: "avc",
  audioCodec: "aac",
  durationSeconds: 12,
  framesPerSecond: 30,
  width: 720,
  height: 1_280,
};

export const video = (change: Partial<MediaItem> = {}): MediaItem => ({
  kind: "video",
  mime: "video/mp4",
  sizeBytes: 2_500,
  sha256: "cd".repeat(32),
  width: null,
  height: null,
  ...change,
});

export const photo = (change: Partial<MediaItem> = {}): MediaItem => ({
  ...video(),
  kind: "image",
  mime: "image/jpeg",
  sha256: "ab".repeat(32),
  ...change,
});

export interface JobChange {
  title?: string | null;
  description?: string | null;
  media?: MediaItem[];
  settings?: Record<string, string>;
  account?: Partial<PublishAccount>;
  facts?: VideoFacts | null;
  now?: Date;
}

export function post(change: JobChange = {}): Post<TikTokSettings, MediaItem> {
  const { title = "Look", description = null, media = [video()] } = change;
  return { title, description, media, settings: settings.parse(change.settings ?? {}) };
}

export function job(fetch: Fetch, change: JobChange = {}) {
  const ranges: ({ offset: number; length: number } | undefined)[] = [];
  const forms: (PulledForm | undefined)[] = [];
  const publishJob: PublishJob<TikTokSettings> = {
    post: post(change),
    account: { platformAccountId: "open-1", handle: "ada", service: null, ...change.account },
    accessToken: "act.1",
    uploadId: 41,
    attempt: 1,
    fetch,
    now: () => change.now ?? NOW,
    async readMedia(item, range) {
      ranges.push(range);
      return new Blob([new Uint8Array(range?.length ?? item.sizeBytes)]).stream();
    },
    inspectVideo: async () => (change.facts === undefined ? FACTS : change.facts),
    async mediaUrl(item, form) {
      forms.push(form);
      return `https://akimbo.test/media/1/${item.sha256}/${form}`;
    },
  };
  return Object.assign(publishJob, { ranges, forms });
}
