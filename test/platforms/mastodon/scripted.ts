import type { Fetch, MediaItem, Post } from "../../../src/platforms/connector.ts";
import { type MastodonSettings, settings } from "../../../src/platforms/mastodon/settings.ts";
import {
  answeringByName,
  type JobChange as CommonChange,
  jobOf,
  NOW,
  type PostChange,
  pushing,
  readCall,
} from "../../support/network.ts";

export const SERVER = "https://mastodon.test";

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });

export const error = (status: number, words: string, headers: Record<string, string> = {}) =>
  json({ error: words }, status, headers);

async function partsOf(request: Request): Promise<Record<string, string>> {
  if (!request.headers.get("content-type")?.startsWith("multipart/form-data")) return {};
  return Object.fromEntries(
    [...(await request.formData())].map(([name, value]) => [
      name,
      typeof value === "string" ? value : `${value.name} ${value.type} ${value.size}`,
    ]),
  );
}

/** For example `POST /api/v1/statuses`. */
async function read(request: Request) {
  const parts = await partsOf(request.clone());
  const call = await readCall(request);
  return { ...call, path: `${call.method} ${call.path}`, parts };
}

export const scriptedFetch = answeringByName(read, ({ path }) => path);

export const status = (change: object = {}) => ({
  id: "11",
  url: `${SERVER}/@ada/11`,
  uri: `${SERVER}/users/ada/statuses/11`,
  created_at: NOW.toISOString(),
  content: "<p>Hello, world</p>",
  visibility: "public",
  spoiler_text: "",
  sensitive: false,
  language: "en",
  in_reply_to_id: null,
  media_attachments: [],
  ...change,
});

export function post(change: PostChange = {}): Post<MastodonSettings, MediaItem> {
  const { title = null, description = "Hello, world", media = [] } = change;
  return { title, description, media, settings: settings.read(change.settings ?? {}).values };
}

export const ACCOUNT = { platformAccountId: "7@mastodon.test", handle: "ada", service: SERVER };

type JobChange = CommonChange & {
  post?: PostChange;
  replyTo?: { root: string; parent: string; latest: string };
};

export const job = (fetch: Fetch, { post: change = {}, replyTo, ...rest }: JobChange = {}) =>
  jobOf(fetch, rest, {
    post: post(change),
    account: ACCOUNT,
    accessToken: "token",
    ...(replyTo ? { replyTo } : {}),
    ...pushing(),
  });
