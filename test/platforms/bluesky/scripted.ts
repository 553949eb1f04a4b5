import { type BlueskySettings, settings } from "../../../src/platforms/bluesky/settings.ts";
import type { Fetch, MediaItem, Post, PublishAccount } from "../../../src/platforms/connector.ts";
import {
  answeringByName,
  type Circumstances,
  jobOf,
  type PostChange,
  pushing,
  readCall,
  image as someImage,
} from "../../support/network.ts";

export { video } from "../../support/network.ts";

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });

export const xrpcError = (
  status: number,
  error: string,
  message: string,
  headers: Record<string, string> = {},
) => json({ error, message }, status, headers);

async function read(request: Request) {
  const call = await readCall(request);
  const { authorization = null, "content-type": contentType = null } = call.headers;
  return { ...call, authorization, contentType };
}

/** Answers by the last part of the path (the XRPC method) or the whole URL. Unexpected calls fail the test. */
export const scriptedFetch = answeringByName(read, ({ url, path }) => [
  url,
  path.split("/").at(-1) ?? "",
]);

export const DID = "did:plc:ewvi7nxzyoun6zhxrhs64oiz";
export const PDS = "https://morel.us-east.host.bsky.network";
export const NOW = new Date("2026-12-01T09:00:00.123Z");

export const image = (change: Partial<MediaItem> = {}): MediaItem =>
  someImage({ width: 1_600, height: 900, ...change });

export const post = (change: PostChange = {}): Post<BlueskySettings, MediaItem> => ({
  title: null,
  description: "Hello, world",
  media: [],
  ...change,
  settings: settings.read(change.settings ?? {}).values,
});

export function job(
  fetch: Fetch,
  change: Circumstances & {
    post?: PostChange;
    account?: Partial<PublishAccount>;
    uploadId?: number;
    attempt?: number;
  } = {},
) {
  const reads: MediaItem[] = [];
  const ranges: ({ offset: number; length: number } | null)[] = [];
  const { readMedia, mediaUrl } = pushing();
  return jobOf(
    fetch,
    { facts: null },
    {
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
      now: () => change.now ?? NOW,
      reads,
      ranges,
      readMedia: (item, range) => {
        reads.push(item);
        ranges.push(range ?? null);
        return readMedia(item, range);
      },
      mediaUrl,
    },
  );
}
