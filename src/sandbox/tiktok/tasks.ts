import * as z from "zod";
import { now } from "../../core/clock.ts";
import { HOUR, SECOND } from "../../core/time.ts";
import { randomDigits } from "../kit/ids.ts";
import type { Call } from "../kit/simulator.ts";
import { type Account, authenticate, isModerated, isUnaudited, requireFields } from "./accounts.ts";
import { answer, invalidParams, readInput, refusal } from "./call.ts";
import { processingSeconds } from "./steering.ts";

export const TASKS_SCHEMA = `
CREATE TABLE IF NOT EXISTS tiktok_tasks (
  publish_id TEXT PRIMARY KEY,
  open_id TEXT NOT NULL,
  team_id INTEGER NOT NULL,
  is_video INTEGER NOT NULL,
  is_inbox INTEGER NOT NULL,
  privacy TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  fields TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  done_at INTEGER,
  fail_reason TEXT,
  post_id TEXT
);
CREATE INDEX IF NOT EXISTS tiktok_tasks_by_account ON tiktok_tasks (open_id, team_id, created_at);
CREATE TABLE IF NOT EXISTS tiktok_uploads (
  publish_id TEXT PRIMARY KEY,
  upload_token TEXT NOT NULL,
  media_id INTEGER NOT NULL,
  size INTEGER NOT NULL,
  chunk_size INTEGER NOT NULL,
  chunk_count INTEGER NOT NULL,
  chunks INTEGER NOT NULL DEFAULT 0,
  received INTEGER NOT NULL DEFAULT 0,
  slices INTEGER NOT NULL DEFAULT 0,
  expires_at INTEGER NOT NULL
);
`;

type TaskRow = {
  publish_id: string;
  open_id: string;
  team_id: number;
  is_video: number;
  is_inbox: number;
  privacy: string;
  title: string;
  description: string;
  fields: string;
  created_at: number;
  done_at: number | null;
  fail_reason: string | null;
  post_id: string | null;
};

const PUBLIC = "PUBLIC_TO_EVERYONE";
const PRIVATE = "SELF_ONLY";

/**
 * Time that a public post is moderated once it is out, in ms; until then nobody is told its id.
 *
 * @see https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status
 */
const moderationMs = (account: Account): number => (isModerated(account) ? HOUR : 2 * SECOND);

/** The content of a new task; its texts are empty for an inbox video. */
export interface NewTask {
  isVideo: boolean;
  isInbox: boolean;
  privacy: string;
  title: string;
  description: string;
  fields: Record<string, unknown>;
}

/** Opens a task; its id. */
export function openTask(call: Call, account: Account, task: NewTask): string {
  const kind = task.isInbox ? "inbox" : "pub";
  const publishId = `${task.isVideo ? "v" : "p"}_${kind}_${task.isVideo ? "file" : "url"}~v2-1.7${randomDigits(18)}`;
  call.env.store.insert("tiktok_tasks", {
    publish_id: publishId,
    open_id: account.openId,
    team_id: call.env.origin.teamId,
    is_video: task.isVideo ? 1 : 0,
    is_inbox: task.isInbox ? 1 : 0,
    privacy: task.privacy,
    title: task.title,
    description: task.description,
    fields: JSON.stringify(task.fields),
    created_at: now().getTime(),
  });
  return publishId;
}

export const findTask = ({ env: { store, origin } }: Call, publishId: string): TaskRow | null =>
  store.find<TaskRow>("tiktok_tasks", { publish_id: publishId, team_id: origin.teamId });

export const textOf = ({ title, description }: Pick<NewTask, "title" | "description">): string =>
  [title, description].filter(Boolean).join("\n");

/** Begins to process a post whose files are all here. It stands in the feed unless it has a reason to fail. */
export function accept(
  call: Call,
  task: TaskRow,
  outcome: { media: { id: number; alt: string }[] } | { failReason: string },
): void {
  const { store, origin } = call.env;
  const isPublic = task.is_inbox === 0 && task.privacy === PUBLIC && !("failReason" in outcome);
  // More digits than a JSON number holds, as TikTok's have.
  const postId = isPublic ? `75${randomDigits(17)}` : null;
  const changed = {
    done_at: now().getTime() + processingSeconds(textOf(task)) * SECOND,
    fail_reason: "failReason" in outcome ? outcome.failReason : null,
    post_id: postId,
  };
  store.update("tiktok_tasks", { publish_id: task.publish_id }, changed);
  if ("failReason" in outcome) return;
  const account = store.find<{ username: string }>("tiktok_accounts", { open_id: task.open_id });
  const username = account?.username ?? "";
  const profile = `https://www.tiktok.com/@${username}`;
  store.savePost(origin, {
    platform: "tiktok",
    key: task.publish_id,
    version: task.publish_id,
    author: username,
    text: textOf(task),
    fields: JSON.parse(task.fields),
    media: outcome.media,
    url: postId ? `${profile}/video/${postId}` : profile,
  });
}

const statusInput = z.strictObject({ publish_id: z.string().max(64) });

export async function fetchStatus(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const { publish_id } = await readInput(call, statusInput);
  const task = findTask(call, publish_id);
  if (!task) throw refusal(400, "invalid_publish_id", "The publish_id does not exist.");
  if (task.open_id !== account.openId) {
    throw refusal(
      400,
      "token_not_authorized_for_specified_publish_id",
      "The access_token does not have authorization for this publish_id.",
    );
  }
  const upload = call.env.store.find<{ received: number }>("tiktok_uploads", { publish_id });
  const bytes = upload ? { uploaded_bytes: upload.received } : {};
  const isDone = task.done_at !== null && task.done_at <= now().getTime();
  if (!isDone) {
    return answer({ status: upload ? "PROCESSING_UPLOAD" : "PROCESSING_DOWNLOAD", ...bytes });
  }
  if (task.fail_reason)
    return answer({ status: "FAILED", fail_reason: task.fail_reason, ...bytes });
  if (task.is_inbox) return answer({ status: "SEND_TO_USER_INBOX", ...bytes });
  const done = answer({ status: "PUBLISH_COMPLETE", publicaly_available_post_id: [], ...bytes });
  const isListed = (task.done_at ?? 0) + moderationMs(account) <= now().getTime();
  if (!task.post_id || !isListed) return done;
  // Written by hand, because JSON.stringify knows no number of this length.
  const text = (await done.text()).replace('post_id":[]', `post_id":[${task.post_id}]`);
  return new Response(text, done);
}

const VIDEO_FIELDS = [
  "id",
  "create_time",
  "share_url",
  "video_description",
  "title",
  "duration",
  "width",
  "height",
  "cover_image_url",
  "view_count",
  "like_count",
  "comment_count",
  "share_count",
];

/** Characters of a text in listings. Source: TikTok, "Video Object". */
const LISTED_UNITS = 150;

const listInput = z.strictObject({
  max_count: z.int().min(1).max(20).default(10),
  cursor: z.int().optional(),
});

/** The public posts, newest first. */
export async function listVideos(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const fields = requireFields(call, VIDEO_FIELDS);
  const { max_count, cursor } = await readInput(call, listInput);
  const rows = call.env.store.sql
    .exec<TaskRow>(
      `SELECT * FROM tiktok_tasks WHERE open_id = ? AND team_id = ? AND post_id IS NOT NULL
         AND done_at <= ? AND created_at < ? ORDER BY created_at DESC LIMIT ?`,
      account.openId,
      call.env.origin.teamId,
      now().getTime() - moderationMs(account),
      cursor ?? Number.MAX_SAFE_INTEGER,
      max_count + 1,
    )
    .toArray();
  const page = rows.slice(0, max_count);
  const videos = page.map((task) => {
    const video: Record<string, string | number> = {
      id: task.post_id ?? "",
      create_time: Math.floor(task.created_at / SECOND),
      share_url: `https://www.tiktok.com/@${account.username}/video/${task.post_id}`,
      video_description: (task.description || task.title).slice(0, LISTED_UNITS),
      title: task.title.slice(0, LISTED_UNITS),
      duration: 0,
      width: 0,
      height: 0,
      cover_image_url: "https://p16-sandbox.tiktokcdn.test/cover.jpeg",
      view_count: 0,
      like_count: 0,
      comment_count: 0,
      share_count: 0,
    };
    return Object.fromEntries(fields.map((field) => [field, video[field]]));
  });
  return answer({
    videos,
    cursor: page.at(-1)?.created_at ?? cursor ?? 0,
    has_more: rows.length > max_count,
  });
}

/** @throws Refusal 400, 403 */
export function requirePrivacy(
  account: Account,
  level: string,
  options: readonly string[],
  isBranded: boolean,
): void {
  if (!options.includes(level)) {
    throw refusal(
      403,
      "privacy_level_option_mismatch",
      "The privacy level is none of those that creator_info lists.",
    );
  }
  if (isUnaudited(account) && level !== PRIVATE) {
    throw refusal(
      403,
      "unaudited_client_can_only_post_to_private_accounts",
      "Please review our integration guidelines at https://developers.tiktok.com/doc/content-sharing-guidelines/",
    );
  }
  if (isBranded && level === PRIVATE) {
    throw invalidParams("Branded content cannot be private");
  }
}
