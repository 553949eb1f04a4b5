import type { Fetch, MediaItem, Post } from "../../../src/platforms/connector.ts";
import { type FacebookSettings, settings } from "../../../src/platforms/facebook/settings.ts";
import { json } from "../../support/graph.ts";
import {
  answeringInOrder,
  type Circumstances,
  jobOf,
  type PostChange,
  pulling,
  video as someVideo,
} from "../../support/network.ts";

export { graphError, json } from "../../support/graph.ts";
export { FACTS, image, later, NOW, type PostChange } from "../../support/network.ts";

async function readForm(request: Request): Promise<Record<string, string>> {
  const type = request.headers.get("content-type") ?? "";
  if (type === "") return {};
  const fields: [string, string][] = [];
  for (const [name, value] of await request.formData()) {
    fields.push([name, typeof value === "string" ? value : await value.text()]);
  }
  return Object.fromEntries(fields);
}

async function readCall(request: Request) {
  const url = new URL(request.url);
  return {
    method: request.method,
    origin: url.origin,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    form: await readForm(request),
    headers: request.headers,
    redirect: request.redirect,
  };
}

/** Unexpected calls fail the test. */
export const scriptedFetch = answeringInOrder(readCall);

export const PAGE = "112233445566778";
export const VIDEO = "9007199254740993";
const BYTES = "0123456789";

export const status = (
  video_status: string,
  phases: {
    uploading?: object | string;
    processing?: object | string;
    publishing?: object | string;
  } = {},
  more: object = {},
) => {
  const phase = (input: object | string | undefined) =>
    typeof input === "string" ? { status: input } : input;
  return json({
    id: VIDEO,
    status: {
      video_status,
      uploading_phase: phase(phases.uploading),
      processing_phase: phase(phases.processing),
      publishing_phase: phase(phases.publishing),
    },
    ...more,
  });
};

export const video = (change: Partial<MediaItem> = {}): MediaItem =>
  someVideo({ sizeBytes: BYTES.length, ...change });

export const post = (change: PostChange = {}): Post<FacebookSettings, MediaItem> => ({
  title: null,
  description: "Some words",
  media: [],
  ...change,
  settings: settings.read(change.settings ?? {}).values,
});

export const job = (fetch: Fetch, change: Circumstances & { post?: PostChange } = {}) =>
  jobOf(fetch, change, {
    post: post(change.post),
    account: { platformAccountId: PAGE, handle: "ada", service: null },
    accessToken: "page-token",
    readMedia: async (_, range) => {
      const { offset = 0, length = BYTES.length } = range ?? {};
      return new Blob([BYTES.slice(offset, offset + length)]).stream();
    },
    mediaUrl: pulling.mediaUrl,
  });
