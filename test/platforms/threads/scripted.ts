import type {
  Bookmark,
  Fetch,
  MediaItem,
  Post,
  PublishJob,
  VideoFacts,
} from "../../../src/platforms/connector.ts";
import { settings, type ThreadsSettings } from "../../../src/platforms/threads/settings.ts";
import { FACTS, json, NOW, type PostChange } from "../instagram/scripted.ts";

export {
  FACTS,
  graphError,
  image,
  json,
  later,
  NOW,
  type PostChange,
  scriptedFetch,
  video,
} from "../instagram/scripted.ts";

/** Larger than a number holds exactly. */
export const USER = "27841405793187219";

/** The answer to a look at a container. */
export const status = (value: string, error_message?: string) =>
  json({ id: "1", status: value, error_message });

/** Where a post stands right before it is published. */
export const READY: Bookmark = {
  stage: "container",
  containerId: "17",
  since: NOW.getTime() - 5_000,
  readyAt: NOW.getTime(),
};

export const post = (change: PostChange = {}): Post<ThreadsSettings, MediaItem> => ({
  title: "A thought",
  description: null,
  media: [],
  ...change,
  settings: settings.parse(change.settings ?? {}),
});

export const job = (
  fetch: Fetch,
  change: { post?: PostChange; now?: Date; facts?: VideoFacts | null } = {},
): PublishJob<ThreadsSettings> => ({
  post: post(change.post),
  account: { platformAccountId: USER, handle: "ada", service: null },
  accessToken: "access-token",
  uploadId: 41,
  attempt: 1,
  fetch,
  now: () => change.now ?? NOW,
  async readMedia() {
    throw new Error("Threads pulls files.");
  },
  inspectVideo: async () => (change.facts === undefined ? FACTS : change.facts),
  mediaUrl: async (item, form = "original") =>
    `https://akimbo.test/media/${item.sha256.slice(0, 2)}/${form}`,
});
