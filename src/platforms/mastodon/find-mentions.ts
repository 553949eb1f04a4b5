import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import { oneLine } from "../kit/replies.ts";
import { maybeText } from "../kit/shapes.ts";
import { MAX_NAME_CHARACTERS } from "../login.ts";
import type { MentionFinder } from "../mentions.ts";
import { call, readerOf } from "./api.ts";
import { toRefused } from "./failures.ts";
import { serverOfAccount } from "./identity.ts";

const MAX_FOUND = 10;

const readSearchReply = readerOf(z.array(z.unknown()));

const person = z.object({
  acct: z.string().regex(/^[\w.-]+(@[\p{L}\p{N}.-]+)?$/u),
  display_name: maybeText,
  url: z.url({ protocol: /^https$/ }),
});

/** @see https://docs.joinmastodon.org/methods/accounts/#search */
export const find: MentionFinder["find"] = async (caller, query) => {
  const { account, accessToken, fetch, now } = caller;
  const search = new URLSearchParams({ q: query, limit: String(MAX_FOUND) });
  const path = `/api/v1/accounts/search?${search}`;
  const reply = await readSearchReply(
    await fetch(call(serverOfAccount(account), path, accessToken)),
  );
  if (!reply.ok) return refuse(toRefused(reply.error, now()));
  const people = reply.value.flatMap((found) => person.safeParse(found).data ?? []);
  return ok(
    people.slice(0, MAX_FOUND).map(({ acct, display_name, url }) => ({
      name: oneLine(display_name?.trim() || acct, MAX_NAME_CHARACTERS),
      handle: acct,
      mention: `@${acct}`,
      url,
    })),
  );
};
