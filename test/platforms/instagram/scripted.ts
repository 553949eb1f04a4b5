import type { Bookmark, Fetch, MediaItem, Post } from "../../../src/platforms/connector.ts";
import { type InstagramSettings, settings } from "../../../src/platforms/instagram/settings.ts";
import {
  answeringInOrder,
  type Circumstances,
  image,
  jobOf,
  NOW,
  type PostChange,
  pulling,
  readCall,
} from "../../support/network.ts";

export { FACTS, image, later, NOW, type PostChange, video } from "../../support/network.ts";

async function readForm(request: Request) {
  const call = await readCall(request);
  return {
    ...call,
    form: Object.fromEntries(new URLSearchParams(call.text)),
    authorization: call.headers.authorization ?? null,
  };
}

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
export const scriptedFetch = answeringInOrder(readForm);

export const IG = "17841405793187218";

/** The answer to a look at a container. */
export const status = (status_code: string, text?: string) =>
  json({ id: "1", status_code, status: text });

/** Bookmark of a post right before it is published. */
export const READY: Bookmark = {
  stage: "container",
  containerId: "17",
  since: NOW.getTime() - 5_000,
  readyAt: NOW.getTime(),
};

export const post = (change: PostChange = {}): Post<InstagramSettings, MediaItem> => ({
  title: "A caption",
  description: null,
  media: [image()],
  ...change,
  settings: settings.read(change.settings ?? {}).values,
});

export const job = (fetch: Fetch, change: Circumstances & { post?: PostChange } = {}) =>
  jobOf(fetch, change, {
    post: post(change.post),
    account: { platformAccountId: IG, handle: "ada", service: null },
    accessToken: "access-token",
    ...pulling,
  });
