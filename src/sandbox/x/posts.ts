import * as z from "zod";
import { now } from "../../core/clock.ts";
import { HOUR } from "../../core/time.ts";
import { randomDigits, randomText } from "../kit/ids.ts";
import { type Call, deliver, idOf, type PostByHand } from "../kit/simulator.ts";
import { steer } from "../kit/steered.ts";
import { readSteering } from "../kit/steering.ts";
import type { SandboxStore } from "../kit/store.ts";
import { integer, json, key, type RowOf, Table, text } from "../kit/table.ts";
import { type Account, authenticate, isSubscriber } from "./accounts.ts";
import { forbidden, invalidRequest, notFound, readInput } from "./call.ts";
import { findMedia, isVideo, type MediaRecord, mediaKeyOf, mediaTable, stateOf } from "./media.ts";
import { REFUSALS } from "./steering.ts";
import { linksOf, weightOf } from "./text.ts";

export interface UrlEntity {
  start: number;
  end: number;
  url: string;
  expanded_url: string;
  display_url: string;
  media_key?: string;
}

export const posts = new Table(
  "x_posts",
  {
    id: key(),
    user_id: text(),
    team_id: integer(),
    text: text(),
    /** As X returns it, with shortened links and escaped HTML. */
    shown: text(),
    urls: json<UrlEntity[]>(),
    media_keys: json<string[]>(),
    created_at: integer(),
  },
  { indexes: { by_author: "user_id, team_id, created_at" } },
);

export type PostRow = RowOf<typeof posts>;

const MAX_MEDIA = 4;
const MAX_TAGGED = 10;
const MAX_TEXT = 280;
const MAX_PREMIUM_TEXT = 25_000;
/** Spec is silent: X refuses a repeated text "for a while". */
const DUPLICATE_MS = 24 * HOUR;
const ID = z.string().regex(/^\d{1,19}$/);

const postInput = z.strictObject({
  text: z.string().optional(),
  media: z
    .strictObject({
      media_ids: z.array(ID).min(1).max(MAX_MEDIA),
      tagged_user_ids: z.array(ID).max(MAX_TAGGED).optional(),
    })
    .optional(),
  poll: z
    .strictObject({
      options: z
        .array(z.string().refine((option) => option !== "" && [...option].length <= 25))
        .min(2)
        .max(4),
      duration_minutes: z.int().min(5).max(10_080),
    })
    .optional(),
  reply: z
    .strictObject({
      in_reply_to_tweet_id: ID,
      exclude_reply_user_ids: z.array(ID).optional(),
      auto_populate_reply_metadata: z.boolean().optional(),
    })
    .optional(),
  reply_settings: z.enum(["following", "mentionedUsers", "subscribers", "verified"]).optional(),
  community_id: ID.optional(),
  share_with_followers: z.boolean().optional(),
  for_super_followers_only: z.boolean().optional(),
  made_with_ai: z.boolean().optional(),
  paid_partnership: z.boolean().optional(),
});

type PostInput = z.output<typeof postInput>;

const MAX_OF_KIND: Record<string, number> = {
  tweet_image: MAX_MEDIA,
  tweet_video: 1,
  amplify_video: 1,
  tweet_gif: 1,
};

function requireFiles(call: Call, account: Account, ids: readonly string[]): MediaRecord[] {
  const files = ids.map((id) => {
    const media = findMedia(call, account, id);
    const isReady =
      media?.finalized && media.used_in === null && (stateOf(media) ?? "succeeded") === "succeeded";
    if (!media || !isReady) {
      throw invalidRequest("Your media IDs are invalid.", { "media.media_ids": [...ids] });
    }
    return media;
  });
  const [first] = files;
  const max = MAX_OF_KIND[first?.category ?? ""] ?? 0;
  const isMixed = files.some(({ category }) => category !== first?.category);
  if (first && (isMixed || files.length > max || new Set(ids).size < ids.length)) {
    throw invalidRequest("A post takes four images, or one GIF or video.", {
      "media.media_ids": [...ids],
    });
  }
  return files;
}

function requireText(account: Account, { text = "", media, poll }: PostInput): string {
  if (text.trim() === "" && !media) {
    throw invalidRequest("$.text: is required without media", { text: [text] });
  }
  if (media && poll) throw invalidRequest("A post takes media or a poll, not both.");
  const max = isSubscriber(account) ? MAX_PREMIUM_TEXT : MAX_TEXT;
  if (weightOf(text) > max) {
    throw forbidden("You are not permitted to perform this action.");
  }
  if ((text.match(/(?<!\S)\$[a-z]{1,6}\b/gi) ?? []).length > 1) {
    throw forbidden("Your post can have one cashtag at most.");
  }
  return text;
}

function refuseDuplicate(call: Call, account: Account, text: string): void {
  if (text.trim() === "") return;
  const { store, origin } = call.env;
  const own = { user_id: account.userId, team_id: origin.teamId, text };
  const same = posts.find(store, own, "AND created_at > ?", now().getTime() - DUPLICATE_MS);
  if (same) throw forbidden("You are not allowed to create a Tweet with duplicate content.");
}

function requireParent(call: Call, account: Account, { reply }: PostInput): string | undefined {
  if (!reply) return undefined;
  const { store, origin } = call.env;
  const id = reply.in_reply_to_tweet_id;
  const parent = posts.find(store, { id, team_id: origin.teamId });
  if (!parent) {
    throw forbidden("You attempted to reply to a Tweet that is deleted or not visible to you.");
  }
  if (parent.user_id !== account.userId) {
    throw forbidden(
      "You can only reply to or quote posts where you are mentioned or are the author",
      "not-authorized-for-resource",
    );
  }
  return id;
}

const EPOCH_MS = 1_288_834_974_657n;

/** X's ids ascend, contain the time and exceed `Number.MAX_SAFE_INTEGER`. */
function newPostId(store: SandboxStore): string {
  const id = ((BigInt(now().getTime()) - EPOCH_MS) << 22n) | BigInt(randomDigits(6));
  const last = posts.find(store, {}, "ORDER BY rowid DESC LIMIT 1");
  const next = last ? BigInt(last.id) + 1n : 0n;
  return String(id > next ? id : next);
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escapeHtml = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => ESCAPES[sign] ?? sign);

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** X shortens links and appends one to the media. */
function show(text: string, mediaLink: string, mediaKeys: readonly string[]) {
  const urls: UrlEntity[] = [];
  let shown = "";
  let from = 0;
  const add = (expanded_url: string, media_key?: string) => {
    const url = `https://t.co/${randomText(LETTERS, 10)}`;
    const start = [...shown].length;
    const display_url = expanded_url.replace(/^https?:\/\//i, "").slice(0, 30);
    shown += url;
    const entity = { start, end: start + url.length, url, expanded_url, display_url };
    urls.push(media_key ? { ...entity, media_key } : entity);
  };
  for (const { url, indices } of linksOf(text)) {
    shown += escapeHtml(text.slice(from, indices[0]));
    add(/^https?:/i.test(url) ? url : `http://${url}`);
    from = indices[1];
  }
  shown += escapeHtml(text.slice(from));
  const [key] = mediaKeys;
  if (key) {
    if (shown !== "") shown += " ";
    add(mediaLink, key);
  }
  return { shown, urls };
}

export async function createPost(call: Call): Promise<Response> {
  const { account, token } = await authenticate(call);
  const input = await readInput(call, postInput);

  // No await from here on: a file could get into two posts.
  const text = requireText(account, input);
  const parent = requireParent(call, account, input);
  const files = requireFiles(call, account, input.media?.media_ids ?? []);
  const reply = steer(call.env, REFUSALS, { key: account.userId, text, token });
  refuseDuplicate(call, account, text);
  const { id, shown } = savePost(call, account, input, files, parent);
  const data = { id, text: shown, edit_history_tweet_ids: [id] };
  return deliver(reply, Response.json({ data }, { status: 201 }));
}

function savePost(
  call: Call,
  account: Account,
  input: PostInput,
  files: MediaRecord[],
  replyTo: string | undefined,
) {
  const { store, origin } = call.env;
  const id = newPostId(store);
  const { text = "" } = input;
  const url = `https://x.com/${account.username}/status/${id}`;
  const kind = files[0] && isVideo(files[0]) ? "video" : "photo";
  const mediaKeys = files.map(mediaKeyOf);
  const { shown, urls } = show(text, `${url}/${kind}/1`, mediaKeys);
  posts.insert(store, {
    id,
    user_id: account.userId,
    team_id: origin.teamId,
    text,
    shown,
    urls,
    media_keys: mediaKeys,
    created_at: now().getTime(),
  });
  for (const file of files) mediaTable.update(store, { id: file.id }, { used_in: id });
  const subtitles = files.flatMap((file) => file.subtitles ?? []);
  const altTexts = files.map(({ alt_text }) => alt_text);
  store.savePost(origin, {
    platform: "x",
    key: id,
    author: account.username,
    text,
    fields: {
      ...input,
      ...(subtitles.length > 0 ? { subtitles } : {}),
      ...(altTexts.some(Boolean) ? { alt_texts: altTexts } : {}),
    },
    media: files.map((file) => ({ id: file.file_id, alt: file.alt_text })),
    url,
    replyTo,
  });
  return { id, shown };
}

export const postByHand: PostByHand = ({ store }, like, text) => {
  const row = posts.find(store, { id: like.key });
  if (!row) return null;
  const id = newPostId(store);
  const shown = escapeHtml(text);
  posts.insert(store, {
    ...row,
    id,
    text,
    shown,
    urls: [],
    media_keys: [],
    created_at: now().getTime(),
  });
  return { key: id, url: `https://x.com/${like.author}/status/${id}` };
};

export async function deletePost(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const id = idOf(call);
  const { store, origin } = call.env;
  const own = { id, user_id: account.userId, team_id: origin.teamId };
  const post = posts.find(store, own);
  if (!post) throw notFound(`Could not find tweet with id: [${id}].`);
  if (readSteering(post.text).keepsPost) return Response.json({ data: { deleted: false } });
  posts.delete(store, own);
  store.deletePost("x", id);
  return Response.json({ data: { deleted: true } });
}
