import * as z from "zod";
import { randomHex, toHex } from "../../core/ids.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { followersOf } from "../kit/audience.ts";
import { hasScope, redeemCode, scopesOf } from "../kit/codes.ts";
import { bearerOf, pickFields, readForm } from "../kit/input.ts";
import { toLabel } from "../kit/label.ts";
import { Logins } from "../kit/logins.ts";
import { takeRefreshToken } from "../kit/refresh.ts";
import { Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";
import { key, Table, text } from "../kit/table.ts";
import { answer, invalidParams, readInput, refusal } from "./call.ts";

export const accounts = new Table("tiktok_accounts", {
  open_id: key(),
  name: text(),
  username: text(),
});

/** Source: TikTok, "Manage User Access Tokens with OAuth v2". */
const ACCESS_SECONDS = 7_200;
const REFRESH_SECONDS = (180 * DAY) / SECOND;

const SCOPES =
  "user.info.basic,user.info.profile,user.info.stats,video.publish,video.upload,video.list";

const MAX_USERNAME = 24;

export interface Account {
  openId: string;
  name: string;
  username: string;
}

const loginsOf = ({ env: { store, origin } }: Call) =>
  new Logins(store.sql, "tiktok", origin, { refresh: REFRESH_SECONDS });

const usernameOf = (name: string): string =>
  toLabel(name).replaceAll("-", "_").slice(0, MAX_USERNAME);

async function openIdOf(name: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`tiktok ${name}`));
  return `-000${toHex(hash).slice(0, 32)}`;
}

async function toAccount({ env: { store } }: Call, name: string): Promise<Account> {
  const account = { openId: await openIdOf(name), name, username: usernameOf(name) };
  const { openId: open_id, username } = account;
  accounts.insert(store, { open_id, name, username }, "OR IGNORE");
  return account;
}

export const tokenInvalid = () =>
  refusal(401, "access_token_invalid", "The access token is invalid or not found in the request.");

const scopeMissing = () =>
  refusal(
    401,
    "scope_not_authorized",
    "The user did not authorize the scope required for completing this request.",
  );

/**
 * @param scopes the account must have granted one
 * @throws Refusal 401 for an invalid token or a missing scope
 */
export async function authenticate(
  call: Call,
  ...scopes: readonly string[]
): Promise<{ account: Account; token: string }> {
  const token = bearerOf(call) ?? "";
  const name = loginsOf(call).liveNameOf(token, "access");
  if (name === null) throw tokenInvalid();
  if (!hasScope(call, "tiktok", name, ...scopes)) throw scopeMissing();
  return { account: await toAccount(call, name), token };
}

function audienceOf(openId: string) {
  const size = 1 + Number.parseInt(openId.slice(4, 7), 16);
  return {
    follower_count: followersOf(`tiktok ${openId}`),
    following_count: size % 500,
    likes_count: 25 * size,
    video_count: size % 100,
  };
}

const userOf = ({ openId, name, username }: Account) => ({
  open_id: openId,
  union_id: openId.replace(/^-000/, ""),
  avatar_url: "https://p16-sandbox.tiktokcdn.test/avatar.jpeg",
  avatar_url_100: "https://p16-sandbox.tiktokcdn.test/avatar-100.jpeg",
  avatar_large_url: "https://p16-sandbox.tiktokcdn.test/avatar-large.jpeg",
  display_name: name,
  username,
  bio_description: "",
  profile_deep_link: `https://www.tiktok.com/@${username}`,
  is_verified: false,
  ...audienceOf(openId),
});

export function requireFields(call: Call, names: readonly string[]): string[] {
  const fields = (call.req.query("fields") ?? "").split(",").filter(Boolean);
  if (fields.length === 0) throw invalidParams("The parameter fields is required");
  const unknown = fields.find((field) => !names.includes(field));
  if (unknown) throw invalidParams(`The field ${unknown} is not valid`);
  return fields;
}

/** Fields beyond user.info.basic. Source: TikTok, "Get User Info". */
const FIELD_SCOPES: [scope: string, fields: readonly string[]][] = [
  ["user.info.profile", ["username", "bio_description", "profile_deep_link", "is_verified"]],
  ["user.info.stats", ["follower_count", "following_count", "likes_count", "video_count"]],
];

export async function readUserInfo(call: Call): Promise<Response> {
  const { account } = await authenticate(call, "user.info.basic");
  const user = userOf(account);
  const fields = requireFields(call, Object.keys(user));
  for (const [scope, its] of FIELD_SCOPES) {
    const isRequested = fields.some((field) => its.includes(field));
    if (isRequested && !hasScope(call, "tiktok", account.name, scope)) throw scopeMissing();
  }
  return answer({ user: pickFields(user, fields) });
}

/** A name with "unaudited" makes the account private, unless it has "public" too. */
export const isPublicAccount = ({ name }: Pick<Account, "name">): boolean =>
  /\bpublic\b/i.test(name);

export const isUnaudited = ({ name }: Pick<Account, "name">): boolean =>
  /\bunaudited\b/i.test(name);

/** "moderated" in the name keeps public posts in moderation for an hour. */
export const isModerated = ({ name }: Account): boolean => /\bmoderated\b/i.test(name);

export const PRIVACY_OPTIONS = ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"];

/** A picture that pages can show: the simulator has no address of its own. */
function avatarOf(name: string): string {
  const hue = Number.parseInt(followersOf(`tiktok ${name}`).toString().slice(-3), 10) % 360;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><rect width="100" height="100" fill="hsl(${hue} 60% 45%)"/><circle cx="50" cy="38" r="18" fill="#fff"/><path d="M14 100a36 36 0 0 1 72 0" fill="#fff"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

export async function readCreatorInfo(call: Call): Promise<Response> {
  const { account } = await authenticate(call, "video.publish");
  await readInput(call, z.object({}));
  return answer({
    creator_avatar_url: avatarOf(account.name),
    creator_username: account.username,
    creator_nickname: account.name,
    privacy_level_options: PRIVACY_OPTIONS,
    comment_disabled: false,
    duet_disabled: false,
    stitch_disabled: false,
    max_video_post_duration_sec: 600,
  });
}

/** TikTok returns OAuth errors with status 200. */
const oauthError = (error: string, error_description: string): Refusal =>
  new Refusal(200, { error, error_description, log_id: randomHex(16) });

/** TikTok refuses this type with a charset. */
const FORM = "application/x-www-form-urlencoded";

/** A used refresh token is revoked. */
export async function grantTokens(call: Call): Promise<Response> {
  const form = call.req.header("content-type") === FORM ? await readForm(call) : null;
  if (!form) throw oauthError("invalid_request", "The request parameters are malformed.");
  if (!form.has("client_secret")) {
    throw oauthError("invalid_request", "Client secret is missed in request.");
  }
  const logins = loginsOf(call);
  const isCode = form.get("grant_type") === "authorization_code";
  const name = isCode
    ? (await takeCode(call, form)).name
    : takeRefreshToken(form, logins, REFRESH_REFUSALS);
  const { openId } = await toAccount(call, name);
  return Response.json({
    access_token: logins.issue(name, "access", ACCESS_SECONDS, "act."),
    expires_in: ACCESS_SECONDS,
    open_id: openId,
    refresh_expires_in: REFRESH_SECONDS,
    refresh_token: logins.issue(name, "refresh", REFRESH_SECONDS, "rft."),
    scope: scopesOf(call, "tiktok", name)?.join(",") ?? SCOPES,
    token_type: "Bearer",
  });
}

function takeCode(call: Call, form: URLSearchParams) {
  if (!form.get("client_key") || !form.get("client_secret")) {
    throw oauthError("invalid_client", "Client key or secret is incorrect.");
  }
  return redeemCode(
    call,
    "tiktok",
    { form, clientId: form.get("client_key") },
    {
      dead: () => oauthError("invalid_grant", "Authorization code is expired."),
      otherClient: () =>
        oauthError("invalid_grant", "Client key does not match authorization record"),
      otherRedirect: () =>
        oauthError(
          "invalid_request",
          "Redirect_uri is not matched with the uri when requesting code.",
        ),
    },
  );
}

const REFRESH_REFUSALS = {
  wrongGrant: () => oauthError("unsupported_grant_type", "The grant type is not supported."),
  invalidToken: () => oauthError("invalid_grant", "Refresh token is invalid or expired."),
};

export async function revokeTokens(call: Call): Promise<Response> {
  const form = await readForm(call);
  const logins = loginsOf(call);
  const name = logins.liveNameOf(form?.get("token") ?? "", "access");
  if (name === null) throw oauthError("invalid_request", "The token is invalid.");
  logins.endAll(name);
  return Response.json({});
}
