import { ok, type Result, refuse } from "../../core/result.ts";
import type { Fetch, OrganizationPage, Refused, TokenExpired } from "../connector.ts";
import type { LinkedInRefusal } from "./api.ts";
import { toRefused } from "./failures.ts";
import {
  getOrganizationsRequest,
  listRolesRequest,
  ROLES_PER_PAGE,
  readListRolesReply,
  readOrganizationsReply,
} from "./login-api.ts";

/** Who may post as an organization. Two spellings of the second occur. */
const PUBLISHING_ROLES = new Set(["ADMINISTRATOR", "CONTENT_ADMINISTRATOR", "CONTENT_ADMIN"]);

/** Pages of roles that are asked for: more than any member has. */
const MAX_ROLE_PAGES = 10;
/** Organizations named in one call. */
const NAMES_PER_CALL = 50;

/** The numbers of the organizations that the member may publish as, in LinkedIn's order. */
export async function publishableIds(
  fetch: Fetch,
  accessToken: string,
): Promise<Result<string[], LinkedInRefusal>> {
  const ids = new Set<string>();
  for (let page = 0; page < MAX_ROLE_PAGES; page++) {
    const request = listRolesRequest(accessToken, page * ROLES_PER_PAGE);
    const reply = await readListRolesReply(await fetch(request));
    if (!reply.ok) return reply;
    for (const { role, state, organizationId } of reply.value.roles) {
      const isApproved = (state ?? "APPROVED") === "APPROVED";
      if (organizationId && isApproved && PUBLISHING_ROLES.has(role)) ids.add(organizationId);
    }
    if (reply.value.count < ROLES_PER_PAGE) break;
  }
  return ok([...ids]);
}

/** The pages that an account can publish to; one that LinkedIn does not name goes by its number. */
export async function listPages(
  fetch: Fetch,
  accessToken: string,
): Promise<Result<OrganizationPage[], Refused | TokenExpired>> {
  const ids = await publishableIds(fetch, accessToken);
  if (!ids.ok) return refuse(toRefused(ids.error));
  const pages: OrganizationPage[] = [];
  for (let from = 0; from < ids.value.length; from += NAMES_PER_CALL) {
    const some = ids.value.slice(from, from + NAMES_PER_CALL);
    const reply = await readOrganizationsReply(
      await fetch(getOrganizationsRequest(accessToken, some)),
    );
    if (!reply.ok) return refuse(toRefused(reply.error));
    for (const id of some) {
      pages.push({ id, name: reply.value.get(id)?.localizedName?.trim() || id });
    }
  }
  return ok(pages);
}
