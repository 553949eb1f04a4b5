import type {
  Fetch,
  MediaItem,
  Post,
  PublishAccount,
  PulledForm,
} from "../../../src/platforms/connector.ts";
import { settings, type TikTokSettings } from "../../../src/platforms/tiktok/settings.ts";
import {
  answeringByName,
  type JobChange as CommonChange,
  image,
  jobOf,
  pushing,
  readCall,
  video,
} from "../../support/network.ts";

export { type Answer, FACTS, video } from "../../support/network.ts";

export const data = (value: object) =>
  Response.json({ data: value, error: { code: "ok", message: "", log_id: "log" } });

export const error = (status: number, code: string, message = `It says ${code}.`) =>
  Response.json({ data: {}, error: { code, message, log_id: "log" } }, { status });

async function read(request: Request) {
  const call = await readCall(request);
  return { ...call, path: call.path.replace("/v2/", "").replace("post/publish/", "") };
}

/** Answers by path without `/v2/` and `post/publish/`. Unexpected calls fail the test. */
export const scriptedFetch = answeringByName(read, ({ path }) => path);

export const NOW = new Date("2026-12-01T09:00:00.123Z");
export const UPLOAD_URL = "https://open-upload.tiktokapis.com/video/?upload_id=1&upload_token=x";

export const CREATOR = {
  creator_username: "ada",
  creator_nickname: "Ada",
  privacy_level_options: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
  comment_disabled: false,
  duet_disabled: false,
  stitch_disabled: false,
  max_video_post_duration_sec: 300,
};

export const photo = (change: Partial<MediaItem> = {}): MediaItem =>
  image({ sizeBytes: 2_500, width: null, height: null, ...change });

export interface JobChange extends CommonChange {
  account?: Partial<PublishAccount>;
}

export function post(change: JobChange = {}): Post<TikTokSettings, MediaItem> {
  const { title = "Look", description = null, media = [video()] } = change;
  return { title, description, media, settings: settings.read(change.settings ?? {}).values };
}

export function job(fetch: Fetch, change: JobChange = {}) {
  const forms: (PulledForm | undefined)[] = [];
  return jobOf(fetch, change, {
    post: post(change),
    account: { platformAccountId: "open-1", handle: "ada", service: null, ...change.account },
    accessToken: "act.1",
    now: () => change.now ?? NOW,
    ...pushing(),
    forms,
    mediaUrl: async (item, form) => {
      forms.push(form);
      return `https://akimbo.test/media/1/${item.sha256}/${form}`;
    },
  });
}
