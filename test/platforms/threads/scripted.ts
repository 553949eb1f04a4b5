import type { Fetch, MediaItem, Post } from "../../../src/platforms/connector.ts";
import { settings, type ThreadsSettings } from "../../../src/platforms/threads/settings.ts";
import { json } from "../../support/graph.ts";
import { type Circumstances, jobOf, type PostChange, pulling } from "../../support/network.ts";

export { graphError, json, READY, scriptedFetch } from "../../support/graph.ts";
export { FACTS, image, later, NOW, type PostChange, video } from "../../support/network.ts";

/** Exceeds the exact range of numbers. */
export const USER = "27841405793187219";

export const status = (value: string, error_message?: string) =>
  json({ id: "1", status: value, error_message });

export const post = (change: PostChange = {}): Post<ThreadsSettings, MediaItem> => ({
  title: "A thought",
  description: null,
  media: [],
  ...change,
  settings: settings.read(change.settings ?? {}).values,
});

export const job = (fetch: Fetch, change: Circumstances & { post?: PostChange } = {}) =>
  jobOf(fetch, change, {
    post: post(change.post),
    account: { platformAccountId: USER, handle: "ada", service: null },
    accessToken: "access-token",
    ...pulling,
  });
