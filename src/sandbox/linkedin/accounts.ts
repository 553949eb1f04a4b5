import { now } from "../../core/clock.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { codesTable, redeemCode } from "../kit/codes.ts";
import { bearerOf, readForm } from "../kit/input.ts";
import { digitsOf, Logins, usernameOf } from "../kit/logins.ts";
import { refreshOf } from "../kit/refresh.ts";
import { oauthError } from "../kit/refusal.ts";
import { type Call, idOf } from "../kit/simulator.ts";
import { loginName, readLoginName } from "./apps.ts";
import { accessDenied, encodedParam, invalidValue, refusal } from "./call.ts";

/** Source: LinkedIn, "Refresh Tokens with OAuth 2.0". */
const ACCESS_SECONDS = (60 * DAY) / SECOND;
const REFRESH_SECONDS = (365 * DAY) / SECOND;

const SCOPES =
  "openid,profile,w_member_social,r_organization_social,r_organization_social_feed,w_organization_social,rw_organization_admin";

interface Organization {
  id: string;
  urn: string;
  name: string;
  vanityName: string;
}

export interface Member {
  name: string;
  /** The member's name with the token's app. */
  login: string;
  /** Specific to the app. */
  sub: string;
  urn: string;
  organizations: Organization[];
}

async function organizationOf(member: string, kind: string): Promise<Organization> {
  const name = `${member} ${kind}`;
  const id = await digitsOf("linkedin", name, 9);
  return { id, urn: `urn:li:organization:${id}`, name, vanityName: usernameOf(name, 50) };
}

async function memberOf(login: string): Promise<Member> {
  const { name } = readLoginName(login);
  const sub = `sb${await digitsOf("linkedin", login, 8)}`;
  const organizations = [
    await organizationOf(name, "Works"),
    await organizationOf(name, "Foundation"),
  ];
  return { name, login, sub, urn: `urn:li:person:${sub}`, organizations };
}

const loginsOf = ({ env: { store, origin } }: Call) =>
  new Logins(store.sql, "linkedin", origin, { refresh: REFRESH_SECONDS });

export const expiredToken = () =>
  refusal(401, "EXPIRED_ACCESS_TOKEN", "The token has expired", 65_601);

/**
 * @param scopes the member must have granted one
 * @throws Refusal 401 without a valid token, 403 without a scope
 */
export async function authenticate(
  call: Call,
  ...scopes: readonly string[]
): Promise<{ member: Member; token: string }> {
  const token = bearerOf(call);
  if (!token) throw refusal(401, "EMPTY_ACCESS_TOKEN", "Empty oauth2 access token", 65_604);
  const name = loginsOf(call).nameOf(token, "access");
  if (name === null) {
    throw refusal(401, "INVALID_ACCESS_TOKEN", "Invalid access token", 65_600);
  }
  if (name === "expired") throw expiredToken();
  const member = await memberOf(name);
  requireScope(call, member, ...scopes);
  return { member, token };
}

/** Null without a consent page. */
function scopesOf({ env: { store, origin } }: Call, login: string): string[] | null {
  const { name } = readLoginName(login);
  const own = { platform: "linkedin" as const, team_id: origin.teamId, name, is_used: true };
  const consents = codesTable.list(store, own, "ORDER BY expires_at DESC, rowid DESC LIMIT 100");
  return consents.find(({ client_id }) => loginName(name, client_id) === login)?.scopes ?? null;
}

/** A token without a consent page has every scope. */
export function requireScope(call: Call, { login }: Member, ...scopes: readonly string[]): void {
  const granted = scopesOf(call, login);
  if (granted === null || scopes.length === 0) return;
  if (scopes.some((scope) => granted.includes(scope))) return;
  throw accessDenied(`Not enough permissions to access: ${new URL(call.req.url).pathname}`);
}

export function requireActor(member: Member, urn: string): string {
  if (urn === member.urn) return member.name;
  const organization = member.organizations.find((one) => one.urn === urn);
  if (!organization) throw accessDenied(`Viewer is not allowed to act as ${urn}`);
  return organization.name;
}

export async function readUserInfo(call: Call): Promise<Response> {
  const { member } = await authenticate(call, "openid");
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

const PROFILE_FIELDS = new Set([
  "id",
  "localizedFirstName",
  "localizedLastName",
  "localizedHeadline",
  "vanityName",
]);

const PICTURE = "profilePicture(displayImage~:playableStreams)";

/** @see https://learn.microsoft.com/linkedin/shared/integrations/people/profile-api */
export async function readMe(call: Call): Promise<Response> {
  const { member } = await authenticate(call, "r_basicprofile");
  const [localizedFirstName = "", ...rest] = member.name.split(" ");
  const urn = `urn:li:digitalmediaAsset:${member.sub}`;
  const profile = {
    id: member.sub,
    localizedFirstName,
    localizedLastName: rest.join(" "),
    localizedHeadline: "Simulated",
    vanityName: usernameOf(member.name, 50),
  };
  const { projection } = call.req.query();
  if (projection === undefined) {
    return Response.json({ ...profile, profilePicture: { displayImage: urn } });
  }
  const fields = /^\((.+)\)$/.exec(projection)?.[1]?.split(/,(?![^(]*\))/) ?? [];
  const other = fields.find((field) => field !== PICTURE && !PROFILE_FIELDS.has(field));
  if (fields.length === 0 || other !== undefined) {
    throw invalidValue("The parameter projection is invalid");
  }
  const identifier = `https://media.licdn.test/${member.sub}.jpeg`;
  const displayImage = {
    paging: { count: 10, start: 0, links: [] },
    elements: [{ artifact: urn, identifiers: [{ identifier, index: 0 }] }],
  };
  return Response.json({
    ...Object.fromEntries(Object.entries(profile).filter(([name]) => fields.includes(name))),
    ...(fields.includes(PICTURE)
      ? { profilePicture: { displayImage: urn, "displayImage~": displayImage } }
      : {}),
  });
}

export function listOf(call: Call, all: object[]): Response {
  const numberOf = (name: string, otherwise: number, max: number) => {
    const text = call.req.query(name) ?? String(otherwise);
    if (!/^\d{1,6}$/.test(text) || Number(text) > max) {
      throw invalidValue(`The parameter ${name} is invalid`);
    }
    return Number(text);
  };
  const start = numberOf("start", 0, 999_999);
  const count = numberOf("count", 10, 100);
  const elements = all.slice(start, start + count);
  return Response.json({ paging: { start, count, total: all.length, links: [] }, elements });
}

export const ADMIN_SCOPES = ["rw_organization_admin", "r_organization_admin"];

export async function listRoles(call: Call): Promise<Response> {
  const { member } = await authenticate(call, ...ADMIN_SCOPES);
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

const toObject = ({ id, name, vanityName }: Omit<Organization, "urn">) => ({
  id: Number(id),
  localizedName: name,
  vanityName,
});

export async function readOrganization(call: Call): Promise<Response> {
  const { member } = await authenticate(call, ...ADMIN_SCOPES);
  const organization = member.organizations.find(({ id }) => id === idOf(call));
  if (!organization) throw accessDenied("Not enough permissions to access this organization");
  return Response.json(toObject(organization));
}

const NOBODY = /^(?:nobody|unknown)/i;

async function findByVanityName(call: Call, { organizations }: Member): Promise<Response> {
  const vanityName = encodedParam(call, "vanityName");
  if (vanityName === "") throw refusal(400, "PARAM_INVALID", "The parameter vanityName is missing");
  if (NOBODY.test(vanityName)) return listOf(call, []);
  const own = organizations.find((one) => one.vanityName === vanityName);
  const name = vanityName
    .replace(/[-_]+/g, " ")
    .replace(/(?<=^| )\p{L}/gu, (letter) => letter.toUpperCase());
  const id = await digitsOf("linkedin", vanityName, 9);
  return listOf(call, [toObject(own ?? { id, name, vanityName })]);
}

/** LinkedIn wants `ids=List(1,2)` with unencoded parentheses and commas. */
export async function readOrganizations(call: Call): Promise<Response> {
  const { member } = await authenticate(call, ...ADMIN_SCOPES);
  if (call.req.query("q") === "vanityName") return findByVanityName(call, member);
  const list = /[?&]ids=List\((\d+(?:,\d+)*)\)(?:&|$)/.exec(call.req.url)?.[1];
  if (!list) throw invalidValue("The parameter ids must be a list");
  const ids = list.split(",");
  const administered = member.organizations.filter(({ id }) => ids.includes(id));
  const denied = ids.filter((id) => !administered.some((one) => one.id === id));
  return Response.json({
    results: Object.fromEntries(administered.map((one) => [one.id, toObject(one)])),
    statuses: Object.fromEntries(administered.map(({ id }) => [id, 200])),
    errors: Object.fromEntries(denied.map((id) => [id, { status: 403, code: "ACCESS_DENIED" }])),
  });
}

const REQUIRED_KEYS = ["client_id", "client_secret"];

const missingParameter = (field: string) =>
  oauthError(400, "invalid_request", `A required parameter "${field}" is missing`);

const wrongGrant = () =>
  oauthError(400, "unsupported_grant_type", "The grant type is not supported");

const invalidGrant = () =>
  oauthError(
    400,
    "invalid_grant",
    "The provided authorization grant or refresh token is invalid, expired or revoked",
  );

const isOfOtherApp = (login: string, form: URLSearchParams): boolean => {
  const { clientId } = readLoginName(login);
  return clientId !== null && clientId !== form.get("client_id");
};

/** A refresh token stays valid after its use. */
export async function grantTokens(call: Call): Promise<Response> {
  const form = await readForm(call);
  if (!form) throw oauthError(400, "invalid_request", "The request must be a form");
  if (form.get("grant_type") === "authorization_code") return exchangeCode(call, form);
  const logins = loginsOf(call);
  const { name, token } = refreshOf(
    form,
    logins,
    {
      wrongGrant,
      missing: missingParameter,
      invalidToken: invalidGrant,
    },
    [...REQUIRED_KEYS, "refresh_token"],
  );
  if (isOfOtherApp(name, form)) throw invalidGrant();
  return Response.json(tokensOf(call, name, token));
}

function tokensOf(call: Call, name: string, refreshToken: string) {
  const logins = loginsOf(call);
  const endsAt = logins.find(refreshToken)?.expires_at ?? 0;
  return {
    access_token: logins.issue(name, "access", ACCESS_SECONDS),
    expires_in: ACCESS_SECONDS,
    refresh_token: refreshToken,
    refresh_token_expires_in: Math.floor((endsAt - now().getTime()) / SECOND),
    scope: scopesOf(call, name)?.join(",") ?? SCOPES,
  };
}

const invalidClient = () => oauthError(401, "invalid_client", "Client authentication failed");

const otherCode = () =>
  oauthError(
    400,
    "invalid_redirect_uri",
    "Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. Or authorization code expired. Or external member binding exists",
  );

async function exchangeCode(call: Call, form: URLSearchParams): Promise<Response> {
  const missing = [...REQUIRED_KEYS, "code", "redirect_uri"].find((field) => !form.has(field));
  if (missing) throw missingParameter(missing);
  // LinkedIn refuses `code_verifier` from a server app.
  if (!form.get("client_secret") || form.has("code_verifier")) throw invalidClient();
  const { name, scopes, client_id } = await redeemCode(
    call,
    "linkedin",
    { form, clientId: form.get("client_id") },
    {
      dead: (why) =>
        why === "unknown"
          ? oauthError(
              401,
              "invalid_request",
              "Unable to retrieve access token: authorization code not found",
            )
          : otherCode(),
      otherClient: otherCode,
      otherRedirect: otherCode,
    },
  );
  const login = loginName(name, client_id);
  const refreshToken = loginsOf(call).issue(login, "refresh", REFRESH_SECONDS);
  return Response.json({
    ...tokensOf(call, login, refreshToken),
    ...(scopes.includes("openid") ? { id_token: await idTokenOf(login) } : {}),
  });
}

const encodeJson = (value: object): string =>
  new TextEncoder()
    .encode(JSON.stringify(value))
    .toBase64({ alphabet: "base64url", omitPadding: true });

/** The token's signature is not valid. */
async function idTokenOf(login: string): Promise<string> {
  const { name, sub } = await memberOf(login);
  const claims = { iss: "https://www.linkedin.com/oauth", sub, name };
  const parts = [{ alg: "RS256", typ: "JWT" }, claims].map((part) => encodeJson(part));
  return [...parts, "c2FuZGJveA"].join(".");
}

export async function revokeToken(call: Call): Promise<Response> {
  const form = await readForm(call);
  const token = form?.get("token") ?? "";
  if (form?.get("client_id") == null || form.get("client_secret") === null) {
    throw oauthError(400, "invalid_request", "A required parameter is missing");
  }
  const logins = loginsOf(call);
  const name = logins.nameOf(token, "access");
  if (name === null || isOfOtherApp(name, form)) {
    throw oauthError(400, "invalid_request", "The token is not known");
  }
  logins.end(token);
  return Response.json({});
}
