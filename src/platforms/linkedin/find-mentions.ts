import * as z from "zod";
import { hasMention, plainMentions, writeMention } from "../../core/mentions.ts";
import { ok, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { list } from "../kit/metrics.ts";
import { failed } from "../kit/refusals.ts";
import { field, maybeText } from "../kit/shapes.ts";
import type { MentionedAccount, MentionFinder } from "../mentions.ts";
import { get, type LinkedInRefusal, readerOf } from "./api.ts";
import { toRefused } from "./failures.ts";
import { organizationUrn } from "./urn.ts";

const FORBIDDEN = 403;
const NOT_FOUND = 404;

const PAGE_ADDRESS = /^.*linkedin\.com\/(?:company|school|showcase)\/|[/?#].*$/giu;

const readOrganizationsReply = readerOf(field("elements", list));

const found = z.object({
  id: z.coerce.string().regex(/^\d{1,20}$/),
  localizedName: z.string().trim().min(1).max(300),
  vanityName: maybeText,
});

function toMentioned(element: unknown): MentionedAccount[] {
  const { data } = found.safeParse(element);
  if (!data) return [];
  const { id, localizedName: name, vanityName } = data;
  const mention = writeMention({ name, urn: organizationUrn(id) });
  if (hasMention(name) || plainMentions(mention) !== name) return [];
  const handle = vanityName?.trim() || null;
  const url = `https://www.linkedin.com/company/${encodeURIComponent(handle ?? id)}/`;
  return [{ name, handle, mention, url }];
}

export const find: MentionFinder["find"] = async ({ fetch, accessToken, now }, query) => {
  const vanityName = encodeURIComponent(query.replace(PAGE_ADDRESS, ""));
  const path = `organizations?q=vanityName&vanityName=${vanityName}`;
  const reply = await readOrganizationsReply(await fetch(get(path, accessToken)));
  if (reply.ok) return ok(reply.value.flatMap(toMentioned));
  return reply.error.status === NOT_FOUND ? ok([]) : refuse(toFindRefused(reply.error, now()));
};

function toFindRefused(refusal: LinkedInRefusal, now: Date): Stopped {
  if (refusal.status !== FORBIDDEN) return toRefused(refusal, now);
  const advice =
    "LinkedIn finds pages for logins with the permission rw_organization_admin: connect the account through the app for pages. Or write the mention yourself, as @[Name](urn:li:organization:123).";
  return failed("account_disconnected", `${refusal.message} ${advice}`);
}
