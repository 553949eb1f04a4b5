import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { list } from "../kit/metrics.ts";
import { oneLine } from "../kit/replies.ts";
import { field, maybeText } from "../kit/shapes.ts";
import type { MentionedAccount, MentionFinder } from "../mentions.ts";
import { PUBLIC_API, readerOf, xrpc } from "./api.ts";
import { toRefused } from "./failures.ts";
import { HANDLE } from "./identity.ts";

const MAX_FOUND = 10;
const MAX_NAME_CHARACTERS = 200;

const readActorsReply = readerOf(field("actors", list));

const actor = z.object({ handle: z.string().regex(HANDLE), displayName: maybeText });

function toMentioned(found: unknown): MentionedAccount[] {
  const { data } = actor.safeParse(found);
  if (!data) return [];
  const { handle, displayName } = data;
  return [
    {
      name: oneLine(displayName?.trim() || handle, MAX_NAME_CHARACTERS),
      handle,
      mention: `@${handle}`,
      url: `https://bsky.app/profile/${handle}`,
    },
  ];
}

export const find: MentionFinder["find"] = async ({ fetch, now }, q) => {
  const query = { q, limit: String(MAX_FOUND) };
  const request = xrpc("GET", PUBLIC_API, "app.bsky.actor.searchActorsTypeahead", { query });
  const reply = await readActorsReply(await fetch(request));
  return reply.ok
    ? ok(reply.value.slice(0, MAX_FOUND).flatMap(toMentioned))
    : refuse(toRefused(reply.error, now()));
};
