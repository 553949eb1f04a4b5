import { type BlueskySettings, settings } from "../../../src/platforms/bluesky/settings.ts";
import type {
  Fetch,
  MediaItem,
  Post,
  PublishAccount,
  PublishJob,
} from "../../../src/platforms/connector.ts";

/** A call that was made, with its body read. */
export interface Call {
  method: string;
  url: string;
  path: string;
  query: Record<string, string>;
  authorization: string | null;
  contentType: string | null;
  redirect: string;
  json: unknown;
  bytes: number;
}

type Answer = Response | Error | ((call: Call) => Response | Error);

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });

export const xrpcError = (
  status: number,
  error: string,
  message: string,
  headers: Record<string, string> = {},
) => json({ error, message }, status, headers);

const toJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/**
 * Answers each call with the next answer of its address, given as the last part of its path (the
 * XRPC method) or the whole URL. A call that nobody expects fails the test.
 */
export function scriptedFetch(script: Record<string, Answer[]> = {}) {
  const calls: Call[] = [];
  const left = new Map(Object.entries(script).map(([key, answers]) => [key, [...answers]]));
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const bytes = await request.arrayBuffer();
    const call: Call = {
      method: request.method,
      url: request.url,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      authorization: request.headers.get("authorization"),
      contentType: request.headers.get("content-type"),
      redirect: request.redirect,
      json: toJson(new TextDecoder().decode(bytes)),
      bytes: bytes.byteLength,
    };
    calls.push(call);
    const method = url.pathname.split("/").at(-1) ?? "";
    const answer = (left.get(request.url) ?? left.get(method))?.shift();
    if (!answer) throw new Error(`Nobody expected ${request.method} ${request.url}`);
    const reply = typeof answer === "function" ? answer(call) : answer;
    if (reply instanceof Error) throw reply;
    return reply;
  };
  return { fetch, calls };
}

export const DID = "did:plc:ewvi7nxzyoun6zhxrhs64oiz";
export const PDS = "https://morel.us-east.host.bsky.network";
export const NOW = new Date("2026-12-01T09:00:00.123Z");

export const image = (change: Partial<MediaItem> = {}): MediaItem => ({
  kind: "image",
  mime: "image/jpeg",
  sizeBytes: 1_234,
  sha256: "ab".repeat(32),
  width: 1_600,
  height: 900,
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

type PostChange = Partial<Omit<Post<unknown, MediaItem>, "settings">> & {
  settings?: Record<string, unknown>;
};

export const post = (change: PostChange = {}): Post<BlueskySettings, MediaItem> => ({
  title: null,
  description: "Hello, world",
  media: [],
  ...change,
  settings: settings.parse(change.settings ?? {}),
});

export function job(
  fetch: Fetch,
  change: {
    post?: PostChange;
    account?: Partial<PublishAccount>;
    uploadId?: number;
    attempt?: number;
    now?: Date;
  } = {},
) {
  const reads: MediaItem[] = [];
  const ranges: ({ offset: number; length: number } | null)[] = [];
  const publishJob: PublishJob<BlueskySettings> = {
    post: post(change.post),
    account: {
      platformAccountId: DID,
      handle: "alice.example.com",
      service: PDS,
      ...change.account,
    },
    accessToken: "access-token",
    uploadId: change.uploadId ?? 41,
    attempt: change.attempt ?? 1,
    fetch,
    now: () => change.now ?? NOW,
    async readMedia(item, range) {
      reads.push(item);
      ranges.push(range ?? null);
      return new Blob([new Uint8Array(range?.length ?? item.sizeBytes)]).stream();
    },
    inspectVideo: async () => null,
    async mediaUrl() {
      throw new Error("Bluesky takes bytes, not addresses.");
    },
  };
  return Object.assign(publishJob, { reads, ranges });
}
