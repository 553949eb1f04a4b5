import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import type { Fetch, Stopped } from "../connector.ts";
import type { OrganizationPage } from "../extras.ts";
import { encodeUrn, get, type LinkedInRefusal, readReply } from "./api.ts";
import { toRefused } from "./failures.ts";
import { readOrganizationId } from "./urn.ts";

const PUBLISHING_ROLES = new Set(["ADMINISTRATOR", "CONTENT_ADMINISTRATOR", "CONTENT_ADMIN"]);

const ROLES_PER_PAGE = 100;
const MAX_ROLE_PAGES = 10;
const NAMES_PER_CALL = 50;

const role = z
  .object({
    role: z.string(),
    state: z.string().nullish(),
    organization: z.string().nullish(),
    organizationTarget: z.string().nullish(),
  })
  .transform(({ organization, organizationTarget, ...rest }) => ({
    ...rest,
    organizationId: readOrganizationId(organization ?? organizationTarget ?? ""),
  }));

const roleList = z.object({ elements: z.array(z.unknown()) }).transform(({ elements }) => ({
  count: elements.length,
  roles: elements.flatMap((element) => role.safeParse(element).data ?? []),
}));

export const organization = z.object({
  localizedName: z.string().nullish().catch(null),
  vanityName: z.string().nullish().catch(null),
});

const organizations = z
  .object({ results: z.record(z.string(), organization.catch({})) })
  .transform(({ results }) => new Map(Object.entries(results)));

/**
 * @see
 * https://learn.microsoft.com/linkedin/marketing/community-management/organizations/organization-access-control-by-role
 */
export async function publishableIds(
  fetch: Fetch,
  accessToken: string,
): Promise<Result<string[], LinkedInRefusal>> {
  const ids = new Set<string>();
  for (let page = 0; page < MAX_ROLE_PAGES; page++) {
    const path = `organizationAcls?q=roleAssignee&state=APPROVED&count=${ROLES_PER_PAGE}&start=${page * ROLES_PER_PAGE}`;
    const reply = await readReply(await fetch(get(path, accessToken)), roleList);
    if (!reply.ok) return reply;
    for (const { role, state, organizationId } of reply.value.roles) {
      const isApproved = (state ?? "APPROVED") === "APPROVED";
      if (organizationId && isApproved && PUBLISHING_ROLES.has(role)) ids.add(organizationId);
    }
    if (reply.value.count < ROLES_PER_PAGE) break;
  }
  return ok([...ids]);
}

export async function listPages(
  fetch: Fetch,
  accessToken: string,
): Promise<Result<OrganizationPage[], Stopped>> {
  const pages = await publishablePages(fetch, accessToken);
  if (!pages.ok) return refuse(toRefused(pages.error));
  return ok(pages.value.map(({ id, name }) => ({ id, name })));
}

/** `handle`: linkedin.com/company/{handle}. */
interface PublishablePage extends OrganizationPage {
  handle: string | null;
}

export async function publishablePages(
  fetch: Fetch,
  accessToken: string,
): Promise<Result<PublishablePage[], LinkedInRefusal>> {
  const ids = await publishableIds(fetch, accessToken);
  if (!ids.ok) return ids;
  const pages: PublishablePage[] = [];
  for (let from = 0; from < ids.value.length; from += NAMES_PER_CALL) {
    const some = ids.value.slice(from, from + NAMES_PER_CALL);
    const path = `organizations?ids=List(${some.map(encodeUrn).join(",")})`;
    const reply = await readReply(await fetch(get(path, accessToken)), organizations);
    if (!reply.ok) return reply;
    for (const id of some) {
      const { localizedName, vanityName } = reply.value.get(id) ?? {};
      const handle = vanityName?.trim() || null;
      pages.push({ id, name: localizedName?.trim() || handle || id, handle });
    }
  }
  return ok(pages);
}
