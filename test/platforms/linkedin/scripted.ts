import type {
  Fetch,
  MediaItem,
  Post,
  PublishAccount,
  PublishJob,
  VideoFacts,
} from "../../../src/platforms/connector.ts";
import { type LinkedInSettings, settings } from "../../../src/platforms/linkedin/settings.ts";

/** A call that was made, with its body read. */
export interface Call {
  /** Such as `POST posts`, without `https://api.linkedin.com/rest/`. */
  name: string;
  url: string;
  headers: Record<string, string>;
  redirect: string;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was sent
  json: any;
  bytes: number;
}

export type Answer = Response | Error;

export const error = (status: number, code: string | null, message = `It says ${code}.`) =>
  Response.json({ status, ...(code === null ? {} : { code }), message }, { status });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Answers the calls in their order; one that nobody expects fails the test. */
export function scriptedFetch(script: [name: string, answer: Answer][]) {
  const calls: Call[] = [];
  const left = [...script];
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const bytes = await request.arrayBuffer();
    const text = new TextDecoder().decode(bytes);
    const path = request.url.replace("https://api.linkedin.com/rest/", "");
    const name = `${request.method} ${path}`;
    calls.push({
      name,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      redirect: request.redirect,
      text,
      json: parse(text),
      bytes: bytes.byteLength,
    });
    const [expected, answer] = left.shift() ?? [];
    if (expected !== name || !answer) throw new Error(`Nobody expected ${name}`);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { fetch, calls, left };
}

export const NOW = new Date("2026-12-01T09:00:00.000Z");
export const PERSON = "urn:li:person:ada1";
export const PAGE = "urn:li:organization:77";
export const POST = "urn:li:share:7123456789012345678";
export const UPLOAD_URL = "https://www.linkedin.com/dms-uploads/1?m=AQ%253D";

export const FACTS: VideoFacts = {
  container: "mp4",
  videoCodec: "avc",
  audioCodec: "aac",
  durationSeconds: 12,
  framesPerSecond: 30,
  width: 720,
  height: 1_280,
};

export const photo = (change: Partial<MediaItem> = {}): MediaItem => ({
  kind: "image",
  mime: "image/jpeg",
  sizeBytes: 2_500,
  sha256: "ab".repeat(32),
  width: 100,
  height: 100,
  ...change,
});

export const video = (change: Partial<MediaItem> = {}): MediaItem =>
  photo({ kind: "video", mime: "video/mp4", sizeBytes: 100_000, ...change });

export const pdf = (change: Partial<MediaItem> = {}): MediaItem =>
  photo({ kind: "document", mime: "application/pdf", width: null, height: null, ...change });

export interface JobChange {
  title?: string | null;
  description?: string | null;
  media?: MediaItem[];
  settings?: Record<string, string>;
  author?: string;
  facts?: VideoFacts | null;
  now?: Date;
  attempt?: number;
}

export function post(change: JobChange = {}): Post<LinkedInSettings, MediaItem> {
  const { title = null, description = "Hello", media = [] } = change;
  return { title, description, media, settings: settings.parse(change.settings ?? {}) };
}

export function job(fetch: Fetch, change: JobChange = {}) {
  const ranges: ({ offset: number; length: number } | undefined)[] = [];
  const account: PublishAccount = {
    platformAccountId: change.author ?? PERSON,
    handle: null,
    service: null,
  };
  const publishJob: PublishJob<LinkedInSettings> = {
    post: post(change),
    account,
    accessToken: "AQX1",
    uploadId: 41,
    attempt: change.attempt ?? 1,
    fetch,
    now: () => change.now ?? NOW,
    async readMedia(item, range) {
      ranges.push(range);
      return new Blob([new Uint8Array(range?.length ?? item.sizeBytes)]).stream();
    },
    inspectVideo: async () => (change.facts === undefined ? FACTS : change.facts),
    mediaUrl: async () => {
      throw new Error("LinkedIn pulls nothing.");
    },
  };
  return Object.assign(publishJob, { ranges });
}
