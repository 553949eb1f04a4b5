import { followersOf } from "../kit/audience.ts";
import { codesTable, hasScope, redeemCode, scopesOf } from "../kit/codes.ts";
import { bearerOf, pickFields, readForm } from "../kit/input.ts";
import { digitsOf, Logins, usernameOf } from "../kit/logins.ts";
import { refreshOf } from "../kit/refresh.ts";
import { oauthError } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";
import { badParameter, refusal, requireKnownParameters, requireParts } from "./call.ts";
import { ALL_SCOPES, READONLY, UPLOAD } from "./consent.ts";

const ACCESS_SECONDS = 3_599;
const SCOPES = [UPLOAD, READONLY];
const MAX_HANDLE = 30;

export interface Channel {
  id: string;
  title: string;
  handle: string;
  uploads: string;
}

async function toChannel(name: string): Promise<Channel> {
  const mark = `sandbox${await digitsOf("youtube", name, 15)}`;
  const handle = `@${usernameOf(name, MAX_HANDLE)}`;
  return { id: `UC${mark}`, title: name, handle, uploads: `UU${mark}` };
}

const loginsOf = ({ env: { store, origin } }: Call) => new Logins(store.sql, "youtube", origin);

const AUTHORIZATION = { location: "Authorization", locationType: "header" } as const;

export const invalidCredentials = () =>
  refusal(401, "authError", "Invalid Credentials", AUTHORIZATION);

const isWithoutChannel = ({ title }: Channel): boolean => /\bno channel\b/i.test(title);

/**
 * @param scope the account must have granted it
 * @throws Refusal 401 without a valid token, 403 without the scope
 */
export async function authenticate(
  call: Call,
  scope = UPLOAD,
): Promise<{ channel: Channel; token: string }> {
  if (call.req.header("authorization") === undefined) {
    throw refusal(401, "required", "Login Required.", AUTHORIZATION);
  }
  const token = bearerOf(call) ?? "";
  const name = loginsOf(call).liveNameOf(token, "access");
  if (name === null) throw invalidCredentials();
  if (!hasScope(call, "youtube", name, scope, ...ALL_SCOPES)) {
    throw refusal(
      403,
      "insufficientPermissions",
      "Request had insufficient authentication scopes.",
    );
  }
  return { channel: await toChannel(name), token };
}

/**
 * Needs more than the scopes of a login without a consent page.
 *
 * @throws Refusal 403 without one of the scopes
 */
export function requireDeletion(call: Call, { title }: Channel): void {
  const scopes = scopesOf(call, "youtube", title) ?? SCOPES;
  if (ALL_SCOPES.some((scope) => scopes.includes(scope))) return;
  throw refusal(403, "insufficientPermissions", "Request had insufficient authentication scopes.");
}

const hidesSubscribers = ({ title }: Channel): boolean => /\bhidden subscribers\b/i.test(title);

/** YouTube rounds subscribers to three digits. */
function subscribersOf(channel: Channel) {
  if (hidesSubscribers(channel)) return { hiddenSubscriberCount: true };
  const count = followersOf(`youtube ${channel.id}`);
  return { subscriberCount: `${Number(count.toPrecision(3))}`, hiddenSubscriberCount: false };
}

const CHANNEL_PARTS = ["id", "snippet", "contentDetails", "statistics", "status"];
const PICTURE = "https://yt3.sandbox.test/channel";

export async function listChannels(call: Call): Promise<Response> {
  const { channel } = await authenticate(call, READONLY);
  requireKnownParameters(call, ["part", "mine", "maxResults"]);
  const parts = requireParts(call, CHANNEL_PARTS);
  if (call.req.query("mine") !== "true") {
    throw badParameter("parameters", "No filter selected.", "missingRequiredParameter");
  }
  const resource: Record<string, object> = {
    snippet: {
      title: channel.title,
      description: "",
      customUrl: channel.handle,
      publishedAt: "2026-01-01T00:00:00Z",
      thumbnails: {
        default: { url: `${PICTURE}-88.jpg`, width: 88, height: 88 },
        medium: { url: `${PICTURE}-240.jpg`, width: 240, height: 240 },
        high: { url: `${PICTURE}-800.jpg`, width: 800, height: 800 },
      },
    },
    contentDetails: { relatedPlaylists: { likes: "", uploads: channel.uploads } },
    statistics: {
      viewCount: "0",
      ...subscribersOf(channel),
      videoCount: "0",
    },
    status: { privacyStatus: "public", isLinked: true, longUploadsStatus: "allowed" },
  };
  const item = {
    kind: "youtube#channel",
    id: channel.id,
    ...pickFields(resource, parts),
  };
  return Response.json({
    kind: "youtube#channelListResponse",
    ...(isWithoutChannel(channel)
      ? { pageInfo: { totalResults: 0, resultsPerPage: 5 } }
      : { pageInfo: { totalResults: 1, resultsPerPage: 5 }, items: [item] }),
  });
}

const REQUIRED_KEYS = ["client_id", "client_secret"];

/** A refresh token stays valid after its use. */
export async function grantTokens(call: Call): Promise<Response> {
  const form = await readForm(call);
  if (form?.get("grant_type") === "authorization_code") return exchangeCode(call, form);
  const logins = loginsOf(call);
  const wrongGrant = (grant: string | null = null) =>
    oauthError(400, "unsupported_grant_type", `Invalid grant_type: ${grant}`);
  if (!form) throw wrongGrant();
  const { name } = refreshOf(
    form,
    logins,
    {
      wrongGrant,
      missing: missingParameter,
      invalidToken: () => oauthError(400, "invalid_grant", "Token has been expired or revoked."),
    },
    [...REQUIRED_KEYS, "refresh_token"],
  );
  const scopes = scopesOf(call, "youtube", name) ?? SCOPES;
  return Response.json(tokensOf(logins, name, scopes));
}

const missingParameter = (field: string) =>
  oauthError(400, "invalid_request", `Missing required parameter: ${field}`);

const tokensOf = (logins: Logins, name: string, scopes: readonly string[]) => ({
  access_token: logins.issue(name, "access", ACCESS_SECONDS),
  expires_in: ACCESS_SECONDS,
  scope: scopes.join(" "),
  token_type: "Bearer",
});

const invalidGrant = (description = "Bad Request") => oauthError(400, "invalid_grant", description);

/** Six months without use. */
const REFRESH_SECONDS = 180 * 24 * 3_600;

async function exchangeCode(call: Call, form: URLSearchParams): Promise<Response> {
  const missing = [...REQUIRED_KEYS, "code", "redirect_uri"].find((field) => !form.has(field));
  if (missing) throw missingParameter(missing);
  if (!form.get("client_secret")) {
    throw oauthError(401, "invalid_client", "The provided client secret is invalid.");
  }
  const { name, scopes, note } = await redeemCode(
    call,
    "youtube",
    { form, clientId: form.get("client_id") },
    {
      dead: (why) => invalidGrant(why === "unknown" ? "Malformed auth code." : undefined),
      otherClient: () => invalidGrant(),
      otherRedirect: () => oauthError(400, "redirect_uri_mismatch", "Bad Request"),
      otherVerifier: (isMissing) =>
        invalidGrant(isMissing ? "Missing code verifier." : "Invalid code verifier."),
    },
  );
  const { store, origin } = call.env;
  const used = { platform: "youtube", team_id: origin.teamId, name, is_used: true } as const;
  const isFirst = codesTable.count(store, used) === 1;
  const logins = loginsOf(call);
  return Response.json({
    ...tokensOf(logins, name, scopes),
    ...(note === "always" || (note === "once" && isFirst)
      ? { refresh_token: logins.issue(name, "refresh", REFRESH_SECONDS, "1//") }
      : {}),
  });
}

export async function revokeTokens(call: Call): Promise<Response> {
  const token = (await readForm(call))?.get("token") ?? call.req.query("token") ?? "";
  const logins = loginsOf(call);
  const name = logins.liveNameOf(token, "refresh", "access");
  if (name === null) throw oauthError(400, "invalid_token", "Token expired or revoked");
  logins.endAll(name);
  return Response.json({});
}
