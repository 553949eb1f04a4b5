import type {
  Fetch,
  MediaItem,
  Post,
  PublishAccount,
  PublishJob,
  VideoFacts,
} from "../../../src/platforms/connector.ts";
import { settings, type XSettings } from "../../../src/platforms/x/settings.ts";

/** A call that was made, with its body read. */
export interface Call {
  method: string;
  url: string;
  /** Such as `POST /2/tweets`. */
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  redirect: string;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was sent
  json: any;
  /** Of a multipart body: texts, and files as their name, type and size. */
  parts: Record<string, string>;
}

export type Answer = Response | Error | ((call: Call) => Response | Error);

export const data = (value: unknown, status = 200) => Response.json({ data: value }, { status });

export const problem = (
  status: number,
  detail: string,
  more: { type?: string; headers?: Record<string, string>; errors?: object[] } = {},
) =>
  Response.json(
    {
      title: "A title",
      detail,
      type: more.type ? `https://api.x.com/2/problems/${more.type}` : "about:blank",
      status,
      ...(more.errors ? { errors: more.errors } : {}),
    },
    { status, headers: more.headers },
  );

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function partsOf(bytes: ArrayBuffer, type: string): Promise<Record<string, string>> {
  if (!type.startsWith("multipart/form-data")) return {};
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  return Object.fromEntries(
    [...form].map(([name, value]) => [
      name,
      typeof value === "string" ? value : `${value.name} ${value.type} ${value.size}`,
    ]),
  );
}

/** Answers each call with the next answer of its verb and path. One that nobody expects fails the test. */
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
      path: `${request.method} ${url.pathname}`,
      query: Object.fromEntries(url.searchParams),
      headers: Object.fromEntries(request.headers),
      redirect: request.redirect,
      text,
      json: parse(text),
      parts: await partsOf(bytes, request.headers.get("content-type") ?? ""),
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

export const FACTS: VideoFacts = {
  container: "mp4",
  videoCodec: "avc",
  audioCodec: "aac",
  durationSeconds: 12,
  framesPerSecond: 30,
  width: 1_080,
  height: 1_920,
};

export const video = (change: Partial<MediaItem> = {}): MediaItem => ({
  kind: "video",
  mime: "video/mp4",
  sizeBytes: 2_500_000,
  sha256: "cd".repeat(32),
  width: null,
  height: null,
  ...change,
});

export const image = (change: Partial<MediaItem> = {}): MediaItem => ({
  ...video(),
  kind: "image",
  mime: "image/jpeg",
  sizeBytes: 3_000,
  sha256: "ab".repeat(32),
  ...change,
});

export const gif = (change: Partial<MediaItem> = {}): MediaItem =>
  image({ mime: "image/gif", ...change });

export interface JobChange {
  title?: string | null;
  description?: string | null;
  media?: MediaItem[];
  settings?: Record<string, string>;
  account?: Partial<PublishAccount>;
  facts?: VideoFacts | null;
  now?: () => Date;
}

export function post(change: JobChange = {}): Post<XSettings, MediaItem> {
  const { title = "Hello", description = null, media = [] } = change;
  return { title, description, media, settings: settings.parse(change.settings ?? {}) };
}

export function job(fetch: Fetch, change: JobChange = {}) {
  const ranges: ({ offset: number; length: number } | undefined)[] = [];
  const publishJob: PublishJob<XSettings> = {
    post: post(change),
    account: { platformAccountId: "1234", handle: "ada", service: null, ...change.account },
    accessToken: "token-1",
    uploadId: 41,
    attempt: 1,
    fetch,
    now: change.now ?? (() => NOW),
    async readMedia(item, range) {
      ranges.push(range);
      return new Blob([new Uint8Array(range?.length ?? item.sizeBytes)]).stream();
    },
    inspectVideo: async () => (change.facts === undefined ? FACTS : change.facts),
    async mediaUrl() {
      throw new Error("X pulls nothing.");
    },
  };
  return Object.assign(publishJob, { ranges });
}
