import * as z from "zod";
import { now } from "../../core/clock.ts";
import { HOUR } from "../../core/time.ts";
import { reactionsTo } from "../kit/audience.ts";
import { randomDigits } from "../kit/ids.ts";
import { type Call, deliver, idOf, type PostByHand } from "../kit/simulator.ts";
import { steer } from "../kit/steered.ts";
import { readSteering } from "../kit/steering.ts";
import type { SandboxStore } from "../kit/store.ts";
import { flag, integer, json, key, optional, type RowOf, Table, text } from "../kit/table.ts";
import { type Account, authenticate, choicesOf, shownAccount } from "./accounts.ts";
import { invalid, notFound, REFUSALS, rateLimitHeaders, readFields, refusal } from "./call.ts";
import { limitsOf, POLL } from "./instance.ts";
import { findMedia, isProcessed, isVideo, type MediaRow, mediaTable, shownMedia } from "./media.ts";
import { lengthOf, toHtml } from "./text.ts";

export const statuses = new Table(
  "mastodon_statuses",
  {
    id: key(),
    server: text(),
    account_id: text(),
    account_name: text(),
    team_id: integer(),
    text: text(),
    spoiler_text: text(),
    visibility: text(),
    sensitive: flag(),
    language: optional(text()),
    media_ids: json<string[]>(),
    poll: optional(json<Poll>()),
    in_reply_to_id: optional(text()),
    idempotency_key: optional(text()),
    created_at: integer(),
    edited_at: optional(integer()),
  },
  { indexes: { by_account: "account_id, team_id, id" } },
);

type StatusRow = RowOf<typeof statuses>;

const poll = z.strictObject({
  options: z.array(z.string()),
  expires_in: z.int(),
  multiple: z.boolean().default(false),
  hide_totals: z.boolean().default(false),
});

type Poll = z.infer<typeof poll>;

const VISIBILITIES = ["public", "unlisted", "private", "direct"] as const;

const written = z.object({
  status: z.string().default(""),
  media_ids: z.array(z.string()).default([]),
  poll: poll.optional(),
  in_reply_to_id: z.string().optional(),
  sensitive: z.boolean().optional(),
  spoiler_text: z.string().default(""),
  visibility: z.enum(VISIBILITIES).optional(),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(?:-[a-z]{2,4})?$/i)
    .optional(),
});

type Written = z.infer<typeof written>;

const KEY_MS = HOUR;

function requireText(call: Call, { status, spoiler_text, media_ids }: Written): void {
  if (status.trim() === "" && spoiler_text.trim() === "" && media_ids.length === 0) {
    throw invalid("Validation failed: Text can't be blank");
  }
  const { characters } = limitsOf(call);
  if (lengthOf(spoiler_text + status) > characters) {
    throw invalid(`Validation failed: Text character limit of ${characters} exceeded`);
  }
}

function requirePoll(call: Call, { poll: asked, media_ids }: Written): void {
  if (!asked) return;
  const { options: max } = limitsOf(call);
  if (media_ids.length > 0) throw invalid(`Cannot attach more than ${limitsOf(call).files} files`);
  const { options, expires_in } = asked;
  const refuse = (why: string) => invalid(`Validation failed: ${why}`);
  if (options.length < 2) throw refuse("Poll must have more than one item");
  if (options.length > max) throw refuse(`Poll can't contain more than ${max} items`);
  if (new Set(options).size < options.length) throw refuse("Poll contains duplicate items");
  if (options.some((option) => [...option].length > POLL.characters)) {
    throw refuse(`Poll can't be longer than ${POLL.characters} characters each`);
  }
  if (expires_in < POLL.least) throw refuse("Poll duration is too short");
  if (expires_in > POLL.max) throw refuse("Poll duration is too long");
}

function requireFiles(call: Call, account: Account, ids: readonly string[], of: string | null) {
  if (ids.length > limitsOf(call).files) {
    throw invalid(`Cannot attach more than ${limitsOf(call).files} files`);
  }
  const files = ids.map((id): MediaRow => {
    const media = findMedia(call, account, id);
    if (!media || (media.status_id !== null && media.status_id !== of)) {
      throw invalid(`Media ${id} not found or already attached to another post`);
    }
    return media;
  });
  if (files.length > 1 && files.some(isVideo)) {
    throw invalid("Cannot attach a video to a post that already contains images");
  }
  if (!files.every(isProcessed)) {
    throw invalid("Cannot attach files that have not finished processing. Try again in a moment!");
  }
  return files;
}

const ownStatus = (call: Call, id: string): StatusRow | null =>
  statuses.find(call.env.store, { id, team_id: call.env.origin.teamId });

/** Mastodon's ids begin with the time. */
function newId(store: SandboxStore): string {
  const id = (BigInt(now().getTime()) << 16n) | BigInt(randomDigits(4));
  const last = statuses.find(store, {}, "ORDER BY rowid DESC LIMIT 1");
  const after = last ? BigInt(last.id) + 1n : 0n;
  return String(id > after ? id : after);
}

export async function createStatus(call: Call): Promise<Response> {
  const { account, token } = await authenticate(call, "write:statuses");
  const input = await readFields(call, written);
  const idempotencyKey = call.req.header("idempotency-key") || null;

  // No await from here on: a repeated call could make a second post.
  const { store, origin } = call.env;
  const repeated = idempotencyKey === null ? null : findRepeated(call, account, idempotencyKey);
  if (repeated) return Response.json(shownStatus(call, account, repeated));
  requireText(call, input);
  requirePoll(call, input);
  const { in_reply_to_id: parent = null } = input;
  if (parent !== null && !ownStatus(call, parent)) {
    throw refusal(404, "The post you are trying to reply to does not appear to exist.");
  }
  const files = requireFiles(call, account, input.media_ids, null);
  const words = `${input.spoiler_text} ${input.status}`;
  const reply = steer(call.env, REFUSALS, { key: account.id, text: words, token });
  const chosen = choicesOf(account);
  const row: StatusRow = {
    id: newId(store),
    server: new URL(call.req.url).origin,
    account_id: account.id,
    account_name: account.name,
    team_id: origin.teamId,
    text: input.status,
    spoiler_text: input.spoiler_text,
    visibility: input.visibility ?? chosen.privacy,
    sensitive: (input.sensitive ?? chosen.sensitive) || input.spoiler_text !== "",
    language: input.language ?? chosen.language,
    media_ids: input.media_ids,
    poll: input.poll ?? null,
    in_reply_to_id: parent,
    idempotency_key: idempotencyKey,
    created_at: now().getTime(),
    edited_at: null,
  };
  statuses.insert(store, row);
  for (const { id } of files) mediaTable.update(store, { id }, { status_id: row.id });
  const { media_ids: _, in_reply_to_id: __, status: ___, ...fields } = input;
  store.savePost(origin, {
    platform: "mastodon",
    key: row.id,
    author: account.username,
    text: input.status,
    fields: {
      ...fields,
      ...(files.some(({ focus }) => focus) ? { focus: files.map(({ focus }) => focus) } : {}),
    },
    media: files.map(({ file_id, description }) => ({ id: file_id, alt: description })),
    url: addressOf(row, account),
    replyTo: parent ?? undefined,
  });
  return deliver(
    reply,
    Response.json(shownStatus(call, account, row), { headers: rateLimitHeaders(299) }),
  );
}

const findRepeated = (call: Call, account: Account, idempotencyKey: string): StatusRow | null =>
  statuses.find(
    call.env.store,
    {
      account_id: account.id,
      team_id: call.env.origin.teamId,
      idempotency_key: idempotencyKey,
    },
    "AND created_at > ?",
    now().getTime() - KEY_MS,
  );

const addressOf = ({ server, id }: StatusRow, { username }: Account): string =>
  `${server}/@${username}/${id}`;

function shownStatus(call: Call, account: Account, row: StatusRow) {
  const { likes, shares, comments } = reactionsTo(`mastodon ${row.id}`, row.created_at);
  const { store } = call.env;
  const files = row.media_ids.flatMap((id) => mediaTable.find(store, { id }) ?? []);
  return {
    id: row.id,
    created_at: new Date(row.created_at).toISOString(),
    edited_at: row.edited_at === null ? null : new Date(row.edited_at).toISOString(),
    in_reply_to_id: row.in_reply_to_id,
    in_reply_to_account_id: row.in_reply_to_id === null ? null : account.id,
    sensitive: row.sensitive,
    spoiler_text: row.spoiler_text,
    visibility: row.visibility,
    language: row.language,
    uri: `${row.server}/users/${account.username}/statuses/${row.id}`,
    url: addressOf(row, account),
    replies_count: comments,
    reblogs_count: shares,
    favourites_count: likes,
    content: toHtml(row.text),
    reblog: null,
    application: { name: "Akimbo", website: null },
    account: shownAccount(call, account),
    media_attachments: files.map((file) => shownMedia(call, file)),
    mentions: [],
    tags: [],
    emojis: [],
    card: null,
    poll: row.poll && {
      id: row.id,
      multiple: row.poll.multiple,
      options: row.poll.options.map((title) => ({ title, votes_count: 0 })),
    },
  };
}

export async function readStatus(call: Call): Promise<Response> {
  const { account } = await authenticate(call, "read:statuses");
  const row = ownStatus(call, idOf(call));
  if (!row) throw notFound();
  return Response.json(shownStatus(call, account, row));
}

export async function readSource(call: Call): Promise<Response> {
  const { account } = await authenticate(call, "read:statuses");
  const row = ownStatus(call, idOf(call));
  if (!row || row.account_id !== account.id) throw notFound();
  return Response.json({ id: row.id, text: row.text, spoiler_text: row.spoiler_text });
}

const MAX_LISTED = 40;
const USUALLY_LISTED = 20;

export async function listStatuses(call: Call): Promise<Response> {
  const { account } = await authenticate(call, "read:statuses");
  if (idOf(call) !== account.id) throw notFound();
  const asked = Number(call.req.query("limit")) || USUALLY_LISTED;
  const before = call.req.query("max_id");
  const own = { account_id: account.id, team_id: call.env.origin.teamId };
  const order = `ORDER BY CAST(id AS INTEGER) DESC LIMIT ${Math.min(asked, MAX_LISTED)}`;
  const rows = before
    ? statuses.list(
        call.env.store,
        own,
        `AND CAST(id AS INTEGER) < CAST(? AS INTEGER) ${order}`,
        before,
      )
    : statuses.list(call.env.store, own, order);
  return Response.json(rows.map((row) => shownStatus(call, account, row)));
}

/** What an edit leaves out is taken off. Source: mastodon/mastodon, `update_status_service.rb`. */
export async function editStatus(call: Call): Promise<Response> {
  const { account } = await authenticate(call, "write:statuses");
  const input = await readFields(call, written);
  const row = ownStatus(call, idOf(call));
  if (!row || row.account_id !== account.id) throw notFound();
  requireText(call, input);
  requirePoll(call, input);
  requireFiles(call, account, input.media_ids, row.id);
  const { store } = call.env;
  const edited: StatusRow = {
    ...row,
    text: input.status,
    spoiler_text: input.spoiler_text,
    sensitive: (input.sensitive ?? false) || input.spoiler_text !== "",
    language: input.language ?? row.language,
    media_ids: input.media_ids,
    poll: input.poll ?? null,
    edited_at: now().getTime(),
  };
  statuses.update(store, { id: row.id }, edited);
  store.changeFields("mastodon", row.id, {}, input.status);
  return Response.json(shownStatus(call, account, edited));
}

export async function deleteStatus(call: Call): Promise<Response> {
  const { account } = await authenticate(call, "write:statuses");
  const row = ownStatus(call, idOf(call));
  if (!row || row.account_id !== account.id) throw notFound();
  const shown = { ...shownStatus(call, account, row), text: row.text };
  if (readSteering(row.text).keepsPost) throw refusal(503, "Remote data could not be fetched");
  statuses.delete(call.env.store, { id: row.id });
  call.env.store.deletePost("mastodon", row.id);
  return Response.json(shown);
}

export const postByHand: PostByHand = ({ store }, like, shown) => {
  const row = statuses.find(store, { id: like.key });
  if (!row) return null;
  const id = newId(store);
  const made = {
    ...row,
    id,
    text: shown,
    spoiler_text: "",
    media_ids: [],
    poll: null,
    in_reply_to_id: null,
    idempotency_key: null,
    created_at: now().getTime(),
  };
  statuses.insert(store, made);
  return { key: id, url: `${row.server}/@${like.author}/${id}` };
};
