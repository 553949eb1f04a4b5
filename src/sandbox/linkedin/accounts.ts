import { DAY, SECOND } from "../../core/time.ts";
import { digitsOf, Logins, usernameOf } from "../kit/logins.ts";
import {
  accessDenied,
  encodedParam,
  invalidValue,
  type LinkedInCall,
  LinkedInError,
  readForm,
} from "./call.ts";

/** Seconds. Source: LinkedIn, "Refresh Tokens with OAuth 2.0". */
const ACCESS_SECONDS = (60 * DAY) / SECOND;
const REFRESH_SECONDS = (365 * DAY) / SECOND;

const SCOPES =
  "openid,profile,w_member_social,r_organization_social,w_organization_social,rw_organization_admin";

export interface Organization {
  id: string;
  urn: string;
  name: string;
  vanityName: string;
}

/** Somebody with two pages, of both of which they are the administrator. */
export interface Member {
  name: string;
  sub: string;
  urn: string;
  organizations: Organization[];
}

async function organizationOf(member: string, kind: string): Promise<Organization> {
  const name = `${member} ${kind}`;
  const id = await digitsOf("linkedin", name, 9);
  return { id, urn: `urn:li:organization:${id}`, name, vanityName: usernameOf(name, 50) };
}

async function memberOf(name: string): Promise<Member> {
  const sub = `sb${await digitsOf("linkedin", name, 8)}`;
  const organizations = [
    await organizationOf(name, "Works"),
    await organizationOf(name, "Foundation"),
  ];
  return { name, sub, urn: `urn:li:person:${sub}`, organizations };
}

const loginsOf = ({ store, origin }: LinkedInCall) => new Logins(store.sql, "linkedin", origin);

export const expiredToken = () =>
  new LinkedInError(401, "EXPIRED_ACCESS_TOKEN", "The token has expired", 65_601);

/** @throws LinkedInError 401 */
export async function authenticate(call: LinkedInCall): Promise<{ member: Member; token: string }> {
  const token = /^Bearer (.+)$/.exec(call.request.headers.get("authorization") ?? "")?.[1];
  if (!token)
    throw new LinkedInError(401, "EMPTY_ACCESS_TOKEN", "Empty oauth2 access token", 65_604);
  const name = loginsOf(call).nameOf(token, "access");
  if (name === null) {
    throw new LinkedInError(401, "INVALID_ACCESS_TOKEN", "Invalid access token", 65_600);
  }
  if (name === "expired") throw expiredToken();
  return { member: await memberOf(name), token };
}

/** The name that a URN goes by, where the member may act as it. */
export function requireActor(member: Member, urn: string): string {
  if (urn === member.urn) return member.name;
  const organization = member.organizations.find((one) => one.urn === urn);
  if (!organization) throw accessDenied(`Viewer is not allowed to act as ${urn}`);
  return organization.name;
}

export async function readUserInfo(call: LinkedInCall): Promise<Response> {
  const { member } = await authenticate(call);
  const [given_name = "", ...rest] = member.name.split(" ");
  return Response.json({
    sub: member.sub,
    name: member.name,
    given_name,
    family_name: rest.join(" "),
    picture: `https://media.licdn.test/${member.sub}.jpeg`,
    locale: { country: "US", language: "en" },
  });
}

/** A page of a list, as Rest.li writes it. */
export function listOf(call: LinkedInCall, all: object[]): Response {
  const numberOf = (name: string, otherwise: number, most: number) => {
    const text = call.url.searchParams.get(name) ?? String(otherwise);
    if (!/^\d{1,6}$/.test(text) || Number(text) > most) {
      throw invalidValue(`The parameter ${name} is invalid`);
    }
    return Number(text);
  };
  const start = numberOf("start", 0, 999_999);
  const count = numberOf("count", 10, 100);
  const elements = all.slice(start, start + count);
  return Response.json({ paging: { start, count, total: all.length, links: [] }, elements });
}

export async function listRoles(call: LinkedInCall): Promise<Response> {
  const { member } = await authenticate(call);
  if (encodedParam(call, "q") !== "roleAssignee") throw invalidValue("The finder q is not known");
  const state = call.url.searchParams.get("state") ?? "APPROVED";
  const role = call.url.searchParams.get("role") ?? "ADMINISTRATOR";
  const isListed = state === "APPROVED" && role === "ADMINISTRATOR";
  const roles = member.organizations.map(({ urn }) => ({
    role,
    state,
    roleAssignee: member.urn,
    organization: urn,
  }));
  return listOf(call, isListed ? roles : []);
}

const toObject = ({ id, name, vanityName }: Organization) => ({
  id: Number(id),
  localizedName: name,
  vanityName,
});

export async function readOrganization(call: LinkedInCall, id: string): Promise<Response> {
  const { member } = await authenticate(call);
  const organization = member.organizations.find((one) => one.id === id);
  if (!organization) throw accessDenied("Not enough permissions to access this organization");
  return Response.json(toObject(organization));
}

/** Several at once: `ids=List(1,2)`, the parentheses and commas as they are. */
export async function readOrganizations(call: LinkedInCall): Promise<Response> {
  const { member } = await authenticate(call);
  const list = /[?&]ids=List\((\d+(?:,\d+)*)\)(?:&|$)/.exec(call.url.search)?.[1];
  if (!list) throw invalidValue("The parameter ids must be a list");
  const ids = list.split(",");
  const known = member.organizations.filter(({ id }) => ids.includes(id));
  const denied = ids.filter((id) => !known.some((one) => one.id === id));
  return Response.json({
    results: Object.fromEntries(known.map((one) => [one.id, toObject(one)])),
    statuses: Object.fromEntries(known.map(({ id }) => [id, 200])),
    errors: Object.fromEntries(denied.map((id) => [id, { status: 403, code: "ACCESS_DENIED" }])),
  });
}

const oauthError = (error: string, error_description: string, status = 400): Response =>
  Response.json({ error, error_description }, { status });

/** Another access token. The refresh token stays, and the older access token ends by itself. */
export async function refreshToken(call: LinkedInCall): Promise<Response> {
  const form = await readForm(call);
  if (!form) return oauthError("invalid_request", "The request must be a form");
  if (form.get("grant_type") !== "refresh_token") {
    return oauthError("unsupported_grant_type", "The grant type is not supported");
  }
  for (const name of ["client_id", "client_secret", "refresh_token"]) {
    if (form.get(name) === null) {
      return oauthError("invalid_request", `A required parameter "${name}" is missing`);
    }
  }
  const token = form.get("refresh_token") ?? "";
  const logins = loginsOf(call);
  const name = logins.nameOf(token, "refresh");
  if (name === null || name === "expired") {
    return oauthError(
      "invalid_grant",
      "The provided authorization grant or refresh token is invalid, expired or revoked",
    );
  }
  return Response.json({
    access_token: logins.issue(name, "access", ACCESS_SECONDS),
    expires_in: ACCESS_SECONDS,
    refresh_token: token,
    refresh_token_expires_in: REFRESH_SECONDS,
    scope: SCOPES,
  });
}

export async function revokeToken(call: LinkedInCall): Promise<Response> {
  const form = await readForm(call);
  const token = form?.get("token") ?? "";
  if (form?.get("client_id") == null || form.get("client_secret") === null) {
    return oauthError("invalid_request", "A required parameter is missing");
  }
  const name = loginsOf(call).nameOf(token, "access");
  if (name === null) return oauthError("invalid_request", "The token is not known");
  loginsOf(call).end(token);
  return Response.json({});
}
