import * as z from "zod";
import { now } from "../../core/clock.ts";
import { MINUTE, SECOND } from "../../core/time.ts";
import { saveComment } from "../kit/comments.ts";
import { randomDigits } from "../kit/ids.ts";
import { type Call, deliver, idOf } from "../kit/simulator.ts";
import type { SteeredRefusals } from "../kit/steered.ts";
import type { SavedComment } from "../kit/store.ts";
import { json, key, Table } from "../kit/table.ts";
import { authenticate, listOf, requireActor, requireScope } from "./accounts.ts";
import { decode, invalidValue, readInput, refusal } from "./call.ts";
import { posts } from "./posts.ts";
import { reactionsOf, requireAdmin } from "./statistics.ts";
import { REFUSALS } from "./steering.ts";

const MAX_CHARACTERS = 1_250;

const attribute = z.strictObject({
  start: z.number().int().min(0),
  length: z.number().int().min(1),
  value: z.union([
    z.strictObject({
      organization: z.strictObject({
        organization: z.string().regex(/^urn:li:organization:\d+$/),
      }),
    }),
    z.strictObject({
      person: z.strictObject({ person: z.string().regex(/^urn:li:person:[\w-]+$/) }),
    }),
  ]),
});

const input = z.strictObject({
  actor: z.string().regex(/^urn:li:(?:person|organization):[\w-]+$/),
  object: z.string().regex(/^urn:li:(?:share|ugcPost|activity):\d+$/),
  message: z.strictObject({
    text: z.string().min(1),
    attributes: z.array(attribute).default([]),
  }),
});

type Attributes = z.output<typeof input>["message"]["attributes"];

export const mentions = new Table("linkedin_comment_mentions", {
  comment: key(),
  attributes: json<Attributes>(),
});

function requireInside(text: string, attributes: Attributes): void {
  let from = 0;
  for (const { start, length } of attributes) {
    if (start < from || start + length > text.length) {
      throw invalidValue("/message/attributes :: does not fit the text");
    }
    from = start + length;
  }
}

function findPost(call: Call, urn: string) {
  const row = posts.find(call.env.store, { urn, team_id: call.env.origin.teamId });
  if (!row) throw refusal(404, "NOT_FOUND", `No post ${urn}`);
  return row;
}

/** As other programs report. */
const EARLY_MS = 20 * SECOND;

function requireCommentable(call: Call, urn: string) {
  const { created_at } = findPost(call, urn);
  const isEarly = urn.includes(":ugcPost:") && now().getTime() < created_at + EARLY_MS;
  if (isEarly) throw refusal(404, "NOT_FOUND", `No post ${urn}`);
}

const COMMENT_REFUSALS: SteeredRefusals = {
  ...REFUSALS,
  failures: {
    ...REFUSALS.failures,
    rate_limited: () =>
      refusal(
        429,
        "TOO_MANY_REQUESTS",
        "Comment create throttled: creation rate limit exceeded for member",
      ),
  },
};

const toComment = (call: Call, { key, author_id, text, post_key, created_at }: SavedComment) => {
  const attributes = mentions.find(call.env.store, { comment: key })?.attributes ?? [];
  const commentUrn = `urn:li:comment:(${post_key},${key})`;
  return {
    id: key,
    actor: author_id,
    commentUrn,
    created: { actor: author_id, time: created_at },
    message: { text, attributes },
    object: post_key,
  };
};

/** Source: LinkedIn, "Comments API". */
export async function createComment(call: Call): Promise<Response> {
  const { member, token } = await authenticate(call);
  const { actor, object, message } = await readInput(call, input);
  const author = requireActor(member, actor);
  const isOwn = actor === member.urn;
  requireScope(call, member, isOwn ? "w_member_social_feed" : "w_organization_social_feed");
  const urn = decode(idOf(call));
  requireCommentable(call, urn);
  const digits = (text: string) => text.split(":").at(-1);
  if (digits(object) !== digits(urn)) throw invalidValue("/object :: is another post");
  if (message.text.length > MAX_CHARACTERS) {
    throw refusal(400, "FIELD_LENGTH_TOO_LONG", "/message/text :: is too long");
  }
  requireInside(message.text, message.attributes);
  const { reply, comment } = saveComment(call.env, COMMENT_REFUSALS, {
    key: `7${randomDigits(18)}`,
    platform: "linkedin",
    post_key: urn,
    author_id: actor,
    author,
    text: message.text,
    token,
  });
  if (message.attributes.length > 0) {
    mentions.insert(call.env.store, { comment: comment.key, attributes: message.attributes });
  }
  const headers = { "x-restli-id": comment.key };
  return deliver(reply, Response.json(toComment(call, comment), { status: 201, headers }));
}

const WORDS = ["Well said.", "Congratulations!", "Where can I read more of it?"];

export async function listComments(call: Call): Promise<Response> {
  const { member } = await authenticate(call);
  requireScope(call, member, "r_organization_social_feed");
  const urn = decode(idOf(call));
  const row = posts.find(call.env.store, { urn, team_id: call.env.origin.teamId });
  if (row) requireAdmin(member, row.author);
  const own = call.env.store.listComments("linkedin", urn);
  const count = row ? reactionsOf(row).comments : 0;
  if (!row || count + own.length === 0) throw refusal(404, "NOT_FOUND", `No comments on ${urn}`);
  const others = Array.from({ length: count }, (_, i) => ({
    id: String(7_000 + i),
    actor: i === 1 ? row.author : `urn:li:person:reader${i}`,
    commentUrn: `urn:li:comment:(${urn},${7_000 + i})`,
    created: { actor: "urn:li:person:reader", time: row.created_at + i * MINUTE },
    message: { text: WORDS[i % WORDS.length], attributes: [] },
    object: urn,
  }));
  return listOf(call, [...own.map((comment) => toComment(call, comment)), ...others]);
}
