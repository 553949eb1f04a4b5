import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { oneLine } from "../kit/replies.ts";
import type { MentionFinder } from "../mentions.ts";
import { call, readerOf } from "./api.ts";
import { toRefused } from "./failures.ts";

/** Few, because X charges for each user. */
const MAX_FOUND = 5;
const MAX_NAME_CHARACTERS = 200;

const user = z.object({ name: z.string().nullish(), username: z.string().regex(/^\w{1,50}$/) });

const readSearchReply = readerOf(z.object({ data: z.array(z.unknown()).default([]) }));

/** @see https://docs.x.com/x-api/users/search-users */
export const find: MentionFinder["find"] = async ({ fetch, accessToken, now }, query) => {
  const search = new URLSearchParams({ query, max_results: String(MAX_FOUND) });
  const reply = await readSearchReply(
    await fetch(call("GET", `/2/users/search?${search}`, accessToken)),
  );
  if (!reply.ok) return refuse(toRefused(reply.error, now()));
  const users = reply.value.data.flatMap((found) => user.safeParse(found).data ?? []);
  return ok(
    users.slice(0, MAX_FOUND).map(({ name, username }) => ({
      name: oneLine(name?.trim() || username, MAX_NAME_CHARACTERS),
      handle: username,
      mention: `@${username}`,
      url: `https://x.com/${username}`,
    })),
  );
};
