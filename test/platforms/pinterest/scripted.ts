import type {
  Fetch,
  MediaItem,
  Post,
  PublishJob,
  VideoFacts,
} from "../../../src/platforms/connector.ts";
import { type PinterestSettings, settings } from "../../../src/platforms/pinterest/settings.ts";

/** A call that was made, with its body read. */
export interface Call {
  method: string;
  url: string;
  /** Verb and path without `/v5`. */
  name: string;
  headers: Record<string, string>;
  redirect: string;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was sent
  json: any;
}

export type Answer = Response | Error;

export const json = (body: object, status = 200): Response => Response.json(body, { status });

export const error = (
  status: number,
  code = 1,
  message = "In its words",
  headers: Record<string, string> = {},
): Response => Response.json({ code, message }, { status, headers });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Answers each call with the next answer of its name. A call that nobody expects fails the test. */
export function scriptedFetch(script: Record<string, Answer[]>) {
  const calls: Call[] = [];
  const left = new Map(Object.entries(script).map(([name, answers]) => [name, [...answers]]));
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const text = new TextDecoder().decode(await request.arrayBuffer());
    const name = `${request.method} ${new URL(request.url).pathname.replace("/v5", "")}`;
    calls.push({
      method: request.method,
      url: request.url,
      name,
      headers: Object.fromEntries(request.headers),
      redirect: request.redirect,
      text,
      json: parse(text),
    });
    const reply = left.get(name)?.shift();
    if (!reply) throw new Error(`Nobody expected ${name}`);
    if (reply instanceof Error) throw reply;
    return reply;
  };
  return { fetch, calls };
}

export const NOW = new Date("2026-12-01T09:00:00.123Z");
export const BOARD = "549755885175";
export const MEDIA_ID = "5123456789012345678";
export const UPLOAD_URL = "https://pinterest-media-upload.s3-accelerate.amazonaws.com/";

export const FACTS: VideoFacts = {
  container: "mp4",
  videoCodec: "avc",
  audioCodec: "aac",
  durationSeconds: 12,
  framesPerSecond: 30,
  width: 720,
  height: 1_280,
};

export const image = (change: Partial<MediaItem> = {}): MediaItem => ({
  kind: "image",
  mime: "image/jpeg",
  sizeBytes: 2_500,
  sha256: "ab".repeat(32),
  width: null,
  height: null,
  ...change,
});

export const video = (change: Partial<MediaItem> = {}): MediaItem => ({
  ...image(),
  kind: "video",
  mime: "video/mp4",
  sizeBytes: 9,
  sha256: "cd".repeat(32),
  ...change,
});

export interface JobChange {
  title?: string | null;
  description?: string | null;
  media?: MediaItem[];
  settings?: Record<string, string>;
  facts?: VideoFacts | null;
  now?: Date;
  bytes?: string;
}

export function post(change: JobChange = {}): Post<PinterestSettings, MediaItem> {
  const { title = "Look", description = null, media = [image()] } = change;
  const sent = change.settings ?? { pinterest_board_id: BOARD };
  return { title, description, media, settings: settings.parse(sent) };
}

export const job = (fetch: Fetch, change: JobChange = {}): PublishJob<PinterestSettings> => ({
  post: post(change),
  account: { platformAccountId: "7", handle: "ada", service: null },
  accessToken: "pina_1",
  uploadId: 41,
  attempt: 1,
  fetch,
  now: () => change.now ?? NOW,
  readMedia: async () => new Blob([change.bytes ?? "the video"]).stream(),
  inspectVideo: async () => (change.facts === undefined ? FACTS : change.facts),
  mediaUrl: async (item, form = "original") =>
    `https://akimbo.test/media/1/${item.sha256.slice(0, 4)}/${form}`,
});
