import type { Fetch, MediaItem, Post } from "../../../src/platforms/connector.ts";
import { type PinterestSettings, settings } from "../../../src/platforms/pinterest/settings.ts";
import {
  answeringByName,
  type JobChange as CommonChange,
  jobOf,
  readCall,
  type Answer as SomeAnswer,
  image as someImage,
  video as someVideo,
} from "../../support/network.ts";

export { FACTS } from "../../support/network.ts";

export type Answer = SomeAnswer<unknown>;

export const json = (body: object, status = 200): Response => Response.json(body, { status });

export const error = (
  status: number,
  code = 1,
  message = "In its words",
  headers: Record<string, string> = {},
): Response => Response.json({ code, message }, { status, headers });

/** Verb and path without `/v5`. */
async function read(request: Request) {
  const call = await readCall(request);
  return { ...call, name: `${call.method} ${call.path.replace("/v5", "")}` };
}

/** Unexpected calls fail the test. */
export const scriptedFetch = answeringByName(read, ({ name }) => name);

export const NOW = new Date("2026-12-01T09:00:00.123Z");
export const BOARD = "549755885175";
export const MEDIA_ID = "5123456789012345678";
export const UPLOAD_URL = "https://pinterest-media-upload.s3-accelerate.amazonaws.com/";

export const image = (change: Partial<MediaItem> = {}): MediaItem =>
  someImage({ sizeBytes: 2_500, width: null, height: null, ...change });

export const video = (change: Partial<MediaItem> = {}): MediaItem =>
  someVideo({ sizeBytes: 9, ...change });

export interface JobChange extends CommonChange {
  bytes?: string;
}

export function post(change: JobChange = {}): Post<PinterestSettings, MediaItem> {
  const { title = "Look", description = null, media = [image()] } = change;
  const sent = change.settings ?? { pinterest_board_id: BOARD };
  return { title, description, media, settings: settings.read(sent).values };
}

export const job = (fetch: Fetch, change: JobChange = {}) =>
  jobOf(fetch, change, {
    post: post(change),
    account: { platformAccountId: "7", handle: "ada", service: null },
    accessToken: "pina_1",
    now: () => change.now ?? NOW,
    readMedia: async () => new Blob([change.bytes ?? "the video"]).stream(),
    mediaUrl: async (item, form = "original") =>
      `https://akimbo.test/media/1/${item.sha256.slice(0, 4)}/${form}`,
  });
