import { bearerOf, pickFields, readForm } from "../kit/input.ts";
import { digitsOf, Logins, usernameOf } from "../kit/logins.ts";
import { readRefresh } from "../kit/refresh.ts";
import { oauthError } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";
import { badParameter, refusal, requireKnownParameters, requireParts } from "./call.ts";

/** Seconds. Google's tokens say 3599. */
const ACCESS_SECONDS = 3_599;
const SCOPES =
  "https://www.googleapis.com/auth/youtube.upload https://www.googleapis.com/auth/youtube.readonly";
const MAX_HANDLE = 30;

export interface Channel {
  id: string;
  title: string;
  handle: string;
  uploads: string;
}

async function toChannel(name: string): Promise<Channel> {
  // As long as YouTube's own ids.
  const mark = `sandbox${await digitsOf("youtube", name, 15)}`;
  const handle = `@${usernameOf(name, MAX_HANDLE)}`;
  return { id: `UC${mark}`, title: name, handle, uploads: `UU${mark}` };
}

const loginsOf = ({ env: { store, origin } }: Call) => new Logins(store.sql, "youtube", origin);

const AUTHORIZATION = { location: "Authorization", locationType: "header" } as const;

export const invalidCredentials = () =>
  refusal(401, "authError", "Invalid Credentials", AUTHORIZATION);

/**
 * The channel whose token the call carries, and the token.
 *
 * @throws Refusal 401 required, authError
 */
export async function authenticate(call: Call): Promise<{ channel: Channel; token: string }> {
  if (call.req.header("authorization") === undefined) {
    throw refusal(401, "required", "Login Required.", AUTHORIZATION);
  }
  const token = bearerOf(call) ?? "";
  const name = loginsOf(call).liveNameOf(token, "access");
  if (name === null) throw invalidCredentials();
  return { channel: await toChannel(name), token };
}

const CHANNEL_PARTS = ["id", "snippet", "contentDetails", "statistics", "status"];
const PICTURE = "https://yt3.sandbox.test/channel";

export async function listChannels(call: Call): Promise<Response> {
  const { channel } = await authenticate(call);
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
      subscriberCount: "0",
      hiddenSubscriberCount: false,
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
    pageInfo: { totalResults: 1, resultsPerPage: 5 },
    items: [item],
  });
}

/** Gives out a new access token; the refresh token lives on. Which app asks does not matter here. */
export async function refreshTokens(call: Call): Promise<Response> {
  const logins = loginsOf(call);
  const wrongGrant = (grant: string | null = null) =>
    oauthError(400, "unsupported_grant_type", `Invalid grant_type: ${grant}`);
  const { name } = await readRefresh(
    call,
    logins,
    {
      notForm: wrongGrant,
      wrongGrant,
      missing: (field) =>
        oauthError(400, "invalid_request", `Missing required parameter: ${field}`),
      invalidToken: () => oauthError(400, "invalid_grant", "Token has been expired or revoked."),
    },
    ["client_id", "client_secret", "refresh_token"],
  );
  return Response.json({
    access_token: logins.issue(name, "access", ACCESS_SECONDS),
    expires_in: ACCESS_SECONDS,
    scope: SCOPES,
    token_type: "Bearer",
  });
}

/** Ends every token of the login. */
export async function revokeTokens(call: Call): Promise<Response> {
  const token = (await readForm(call))?.get("token") ?? call.req.query("token") ?? "";
  const logins = loginsOf(call);
  const name = logins.liveNameOf(token, "refresh", "access");
  if (name === null) throw oauthError(400, "invalid_token", "Token expired or revoked");
  logins.endAll(name);
  return Response.json({});
}
