import * as z from "zod";
import { now } from "../../core/clock.ts";
import { DAY, HOUR, SECOND } from "../../core/time.ts";
import { reactionsTo } from "../kit/audience.ts";
import { randomDigits } from "../kit/ids.ts";
import { pickFields } from "../kit/input.ts";
import type { Call, PostByHand } from "../kit/simulator.ts";
import { processingSeconds } from "../kit/steering.ts";
import {
  count,
  flag,
  integer,
  json,
  key,
  optional,
  type RowOf,
  Table,
  text,
} from "../kit/table.ts";
import {
  type Account,
  accounts,
  authenticate,
  isModerated,
  isPublicAccount,
  isUnaudited,
  requireFields,
} from "./accounts.ts";
import { answer, invalidParams, readInput, refusal } from "./call.ts";

export const tasks = new Table(
  "tiktok_tasks",
  {
    publish_id: key(),
    open_id: text(),
    team_id: integer(),
    is_video: flag(),
    is_inbox: flag(),
    privacy: text(),
    title: text(),
    description: text(),
    fields: json<Record<string, unknown>>(),
    created_at: integer(),
    done_at: optional(integer()),
    fail_reason: optional(text()),
    post_id: optional(text()),
  },
  { indexes: { by_account: "open_id, team_id, created_at" } },
);

type Task = RowOf<typeof tasks>;

export const uploads = new Table("tiktok_uploads", {
  publish_id: key(),
  upload_token: text(),
  media_id: integer(),
  size: integer(),
  chunk_size: integer(),
  chunk_count: integer(),
  chunks: count(),
  received: count(),
  slices: count(),
  expires_at: integer(),
});

export type Upload = RowOf<typeof uploads>;

const PUBLIC = "PUBLIC_TO_EVERYONE";
const PRIVATE = "SELF_ONLY";

/**
 * Until moderation ends, no answer has the post's id.
 *
 * @see https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status
 */
const moderationMs = (account: Account): number => (isModerated(account) ? HOUR : 2 * SECOND);

export type NewTask = Pick<
  Task,
  "is_video" | "is_inbox" | "privacy" | "title" | "description" | "fields"
>;

type OpenTask = NewTask & Pick<Task, "publish_id" | "open_id">;

export function openTask(call: Call, account: Account, task: NewTask): OpenTask {
  const kind = task.is_inbox ? "inbox" : "pub";
  const publish_id = `${task.is_video ? "v" : "p"}_${kind}_${task.is_video ? "file" : "url"}~v2-1.7${randomDigits(18)}`;
  const opened = { ...task, publish_id, open_id: account.openId };
  const { store, origin } = call.env;
  tasks.insert(store, { ...opened, team_id: origin.teamId, created_at: now().getTime() });
  return opened;
}

export const findTask = ({ env: { store, origin } }: Call, publishId: string): Task | null =>
  tasks.find(store, { publish_id: publishId, team_id: origin.teamId });

export const textOf = ({ title, description }: Pick<NewTask, "title" | "description">): string =>
  [title, description].filter(Boolean).join("\n");

/** Longer than `Number.MAX_SAFE_INTEGER`, like TikTok's ids. */
const newPostId = (): string => `75${randomDigits(17)}`;

/** Posts that will fail are not in the feed. */
export function accept(
  call: Call,
  task: OpenTask,
  outcome: { media: { id: number; alt: string }[] } | { failReason: string },
): void {
  const { store, origin } = call.env;
  const isPublic = !task.is_inbox && task.privacy === PUBLIC && !("failReason" in outcome);
  const postId = isPublic ? newPostId() : null;
  const changed = {
    done_at: now().getTime() + processingSeconds(textOf(task)) * SECOND,
    fail_reason: "failReason" in outcome ? outcome.failReason : null,
    post_id: postId,
  };
  tasks.update(store, { publish_id: task.publish_id }, changed);
  if ("failReason" in outcome) return;
  const account = accounts.find(store, { open_id: task.open_id });
  const username = account?.username ?? "";
  const profile = `https://www.tiktok.com/@${username}`;
  store.savePost(origin, {
    platform: "tiktok",
    key: task.publish_id,
    author: username,
    text: textOf(task),
    fields: task.fields,
    media: outcome.media,
    url: postId ? `${profile}/video/${postId}` : profile,
  });
}

export const postByHand: PostByHand = ({ store }, like, text) => {
  const row = tasks.find(store, { publish_id: like.key });
  if (!row) return null;
  const post_id = newPostId();
  const key = `${like.key.split("~")[0]}~v2-1.7${randomDigits(18)}`;
  const at = now().getTime();
  tasks.insert(store, {
    ...row,
    publish_id: key,
    post_id,
    title: text,
    description: "",
    fields: {},
    created_at: at,
    done_at: at,
  });
  return { key, url: `https://www.tiktok.com/@${like.author}/video/${post_id}` };
};

const statusInput = z.strictObject({ publish_id: z.string().max(64) });

export async function fetchStatus(call: Call): Promise<Response> {
  const { account } = await authenticate(call, "video.publish", "video.upload");
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
  const upload = uploads.find(call.env.store, { publish_id });
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
  // `JSON.stringify` cannot write such large numbers.
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

/** Source: TikTok, "Video Object". */
const LISTED_UNITS = 150;

const listInput = z.strictObject({
  max_count: z.int().min(1).max(20).default(10),
  cursor: z.int().optional(),
});

export async function listVideos(call: Call): Promise<Response> {
  const { account } = await authenticate(call, "video.list");
  const fields = requireFields(call, VIDEO_FIELDS);
  const { max_count, cursor } = await readInput(call, listInput);
  const rows = tasks.list(
    call.env.store,
    { open_id: account.openId, team_id: call.env.origin.teamId },
    `AND post_id IS NOT NULL AND done_at <= ? AND created_at < ?
     ORDER BY created_at DESC LIMIT ?`,
    now().getTime() - moderationMs(account),
    cursor ?? Number.MAX_SAFE_INTEGER,
    max_count + 1,
  );
  const page = rows.slice(0, max_count);
  const videos = page.map((task) => {
    const video = {
      id: task.post_id ?? "",
      create_time: Math.floor(task.created_at / SECOND),
      share_url: `https://www.tiktok.com/@${account.username}/video/${task.post_id}`,
      video_description: (task.description || task.title).slice(0, LISTED_UNITS),
      title: task.title.slice(0, LISTED_UNITS),
      duration: 0,
      width: 0,
      height: 0,
      cover_image_url: "https://p16-sandbox.tiktokcdn.test/cover.jpeg",
      ...countsOf(task),
    };
    return pickFields(video, fields);
  });
  return answer({
    videos,
    cursor: page.at(-1)?.created_at ?? cursor ?? 0,
    has_more: rows.length > max_count,
  });
}

function countsOf(task: Task) {
  const audience = `tiktok ${task.open_id} ${textOf(task)}`;
  const { views, likes, comments, shares } = reactionsTo(audience, task.created_at);
  return {
    view_count: views,
    like_count: likes,
    comment_count: comments,
    share_count: shares,
  };
}

/** @see https://developers.tiktok.com/doc/content-sharing-guidelines */
const UNAUDITED_USERS = 5;

/** @throws Refusal for a post that an unaudited app may not make */
function requireUnauditedUse(call: Call, account: Account, level: string): void {
  if (level !== PRIVATE || isPublicAccount(account)) {
    throw refusal(
      403,
      "unaudited_client_can_only_post_to_private_accounts",
      "Please review our integration guidelines at https://developers.tiktok.com/doc/content-sharing-guidelines/",
    );
  }
  const { store, origin } = call.env;
  const own = { team_id: origin.teamId, is_inbox: false };
  const posts = tasks.list(store, own, "AND created_at > ?", now().getTime() - DAY);
  const users = new Set(
    posts.flatMap(({ open_id }) => {
      const poster = accounts.find(store, { open_id });
      return poster && isUnaudited(poster) && open_id !== account.openId ? [open_id] : [];
    }),
  );
  if (users.size >= UNAUDITED_USERS) {
    throw refusal(
      403,
      "reached_active_user_cap",
      "The daily quota for active publishing users from your client is reached.",
    );
  }
}

/** @throws Refusal for a forbidden privacy level, or for what an unaudited app may not do */
export function requirePrivacy(
  call: Call,
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
  if (isUnaudited(account)) requireUnauditedUse(call, account, level);
  if (isBranded && level === PRIVATE) {
    throw invalidParams("Branded content cannot be private");
  }
}
