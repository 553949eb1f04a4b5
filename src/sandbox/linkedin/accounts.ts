import { DAY, SECOND } from "../../core/time.ts";
import { bearerOf, readForm } from "../kit/input.ts";
import { digitsOf, Logins, usernameOf } from "../kit/logins.ts";
import { readRefresh } from "../kit/refresh.ts";
import { oauthError } from "../kit/refusal.ts";
import { type Call, idOf } from "../kit/simulator.ts";
import { accessDenied, encodedParam, invalidValue, refusal } from "./call.ts";

/** Seconds. Source: LinkedIn, "Refresh Tokens with OAuth 2.0". */
const ACCESS_SECONDS = (60 * DAY) / SECOND;
const REFRESH_SECONDS = (365 * DAY) / SECOND;

const SCOPES =
  "openid,profile,w_member_social,r_organization_social,w_organization_social,rw_organization_admin";

interface Organization {
  id: string;
  urn: string;
  name: string;
  vanityName: string;
}

/** A person who administers two pages. */
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

const loginsOf = ({ env: { store, origin } }: Call) => new Logins(store.sql, "linkedin", origin);

export const expiredToken = () =>
  refusal(401, "EXPIRED_ACCESS_TOKEN", "The token has expired", 65_601);

/** @throws Refusal 401 */
export async function authenticate(call: Call): Promise<{ member: Member; token: string }> {
  const token = bearerOf(call);
  if (!token) throw refusal(401, "EMPTY_ACCESS_TOKEN", "Empty oauth2 access token", 65_604);
  const name = loginsOf(call).nameOf(token, "access");
  if (name === null) {
    throw refusal(401, "INVALID_ACCESS_TOKEN", "Invalid access token", 65_600);
  }
  if (name === "expired") throw expiredToken();
  return { member: await memberOf(name), token };
}

/** The name behind a URN that the member may act as. */
export function requireActor(member: Member, urn: string): string {
  if (urn === member.urn) return member.name;
  const organization = member.organizations.find((one) => one.urn === urn);
  if (!organization) throw accessDenied(`Viewer is not allowed to act as ${urn}`);
  return organization.name;
}

export async function readUserInfo(call: Call): Promise<Response> {
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
export function listOf(call: Call, all: object[]): Response {
  const numberOf = (name: string, otherwise: number, most: number) => {
    const text = call.req.query(name) ?? String(otherwise);
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

export async function listRoles(call: Call): Promise<Response> {
  const { member } = await authenticate(call);
  if (encodedParam(call, "q") !== "roleAssignee") throw invalidValue("The finder q is not known");
  const state = call.req.query("state") ?? "APPROVED";
  const role = call.req.query("role") ?? "ADMINISTRATOR";
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

export async function readOrganization(call: Call): Promise<Response> {
  const { member } = await authenticate(call);
  const organization = member.organizations.find(({ id }) => id === idOf(call));
  if (!organization) throw accessDenied("Not enough permissions to access this organization");
  return Response.json(toObject(organization));
}

/** Several at once: `ids=List(1,2)`, the parentheses and commas as they are. */
export async function readOrganizations(call: Call): Promise<Response> {
  const { member } = await authenticate(call);
  const list = /[?&]ids=List\((\d+(?:,\d+)*)\)(?:&|$)/.exec(call.req.url)?.[1];
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

/** Gives out another access token. The refresh token stays, and the older one ends by itself. */
export async function refreshToken(call: Call): Promise<Response> {
  const logins = loginsOf(call);
  const { name, token } = await readRefresh(
    call,
    logins,
    {
      notForm: () => oauthError(400, "invalid_request", "The request must be a form"),
      wrongGrant: () =>
        oauthError(400, "unsupported_grant_type", "The grant type is not supported"),
      missing: (field) =>
        oauthError(400, "invalid_request", `A required parameter "${field}" is missing`),
      invalidToken: () =>
        oauthError(
          400,
          "invalid_grant",
          "The provided authorization grant or refresh token is invalid, expired or revoked",
        ),
    },
    ["client_id", "client_secret", "refresh_token"],
  );
  return Response.json({
    access_token: logins.issue(name, "access", ACCESS_SECONDS),
    expires_in: ACCESS_SECONDS,
    refresh_token: token,
    refresh_token_expires_in: REFRESH_SECONDS,
    scope: SCOPES,
  });
}

export async function revokeToken(call: Call): Promise<Response> {
  const form = await readForm(call);
  const token = form?.get("token") ?? "";
  if (form?.get("client_id") == null || form.get("client_secret") === null) {
    throw oauthError(400, "invalid_request", "A required parameter is missing");
  }
  const logins = loginsOf(call);
  if (logins.nameOf(token, "access") === null) {
    throw oauthError(400, "invalid_request", "The token is not known");
  }
  logins.end(token);
  return Response.json({});
}
