import * as z from "zod";
import type { AppKeys } from "../connector.ts";
import { API, encodeUrn, get, LOGINS, type Reading, readEmptyReply, readReply } from "./api.ts";
import { readOrganizationId } from "./urn.ts";

/**
 * Whose token it is. This address knows no versions.
 *
 * @see https://learn.microsoft.com/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2
 */
export const userInfoRequest = (accessToken: string): Request =>
  new Request(`${API}/v2/userinfo`, {
    headers: { authorization: `Bearer ${accessToken}` },
    redirect: "manual",
  });

const userInfo = z.object({
  sub: z.string().regex(/^[\w-]{1,100}$/),
  name: z.string().nullish().catch(null),
  picture: z.string().nullish().catch(null),
});

export type UserInfo = z.infer<typeof userInfo>;

export const readUserInfoReply = (reply: Response): Reading<UserInfo> => readReply(reply, userInfo);

/** Elements of a page of roles. */
export const ROLES_PER_PAGE = 100;

/**
 * What the member may do for which organizations.
 *
 * @see https://learn.microsoft.com/linkedin/marketing/community-management/organizations/organization-access-control-by-role
 */
export const listRolesRequest = (accessToken: string, start: number): Request =>
  get(
    `organizationAcls?q=roleAssignee&state=APPROVED&count=${ROLES_PER_PAGE}&start=${start}`,
    accessToken,
  );

/** Of a new form and an older one. */
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

export type Role = z.infer<typeof role>;

export const readListRolesReply = (reply: Response): Reading<{ count: number; roles: Role[] }> =>
  readReply(reply, roleList);

export const getOrganizationRequest = (accessToken: string, id: string): Request =>
  get(`organizations/${id}`, accessToken);

const organization = z.object({
  localizedName: z.string().nullish().catch(null),
  vanityName: z.string().nullish().catch(null),
});

export type Organization = z.infer<typeof organization>;

export const readOrganizationReply = (reply: Response): Reading<Organization> =>
  readReply(reply, organization);

/** The parentheses and commas of the list stand as they are. */
export const getOrganizationsRequest = (accessToken: string, ids: readonly string[]): Request =>
  get(`organizations?ids=List(${ids.map(encodeUrn).join(",")})`, accessToken);

const organizations = z
  .object({ results: z.record(z.string(), organization.catch({})) })
  .transform(({ results }) => new Map(Object.entries(results)));

/** By number. */
export const readOrganizationsReply = (reply: Response): Reading<Map<string, Organization>> =>
  readReply(reply, organizations);

function form(path: string, fields: Record<string, string>): Request {
  return new Request(`${LOGINS}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
    redirect: "manual",
  });
}

/** Without keys LinkedIn refuses the call in its own words; a simulated account needs none. */
const toFields = (app: AppKeys | null) => ({
  client_id: app?.clientId ?? "",
  client_secret: app?.clientSecret ?? "",
});

/** @see https://learn.microsoft.com/linkedin/shared/authentication/programmatic-refresh-tokens */
export const refreshTokenRequest = (app: AppKeys | null, refreshToken: string): Request =>
  form("accessToken", {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    ...toFields(app),
  });

const tokens = z.object({
  access_token: z.string().min(1).max(8_192),
  expires_in: z.number().positive(),
  refresh_token: z.string().min(1).max(8_192).nullish(),
});

export type Tokens = z.infer<typeof tokens>;

export const readTokensReply = (reply: Response): Reading<Tokens> => readReply(reply, tokens);

export const revokeTokenRequest = (app: AppKeys | null, accessToken: string): Request =>
  form("revoke", { token: accessToken, ...toFields(app) });

export const readRevokeTokenReply = readEmptyReply;
