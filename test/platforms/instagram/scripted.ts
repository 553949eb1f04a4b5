import type { Fetch, MediaItem, Post } from "../../../src/platforms/connector.ts";
import { type InstagramSettings, settings } from "../../../src/platforms/instagram/settings.ts";
import { json } from "../../support/graph.ts";
import {
  type Circumstances,
  image,
  jobOf,
  type PostChange,
  pulling,
} from "../../support/network.ts";

export { graphError, json, READY, scriptedFetch } from "../../support/graph.ts";
export { FACTS, image, later, NOW, type PostChange, video } from "../../support/network.ts";

export const IG = "17841405793187218";

export const status = (status_code: string, text?: string) =>
  json({ id: "1", status_code, status: text });

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
