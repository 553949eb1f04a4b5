import { readBody } from "../kit/input.ts";
import { digitsOf, Logins, usernameOf } from "../kit/logins.ts";
import {
  badParameter,
  requireKnownParameters,
  requireParts,
  type YouTubeCall,
  YouTubeError,
} from "./call.ts";

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

const loginsOf = ({ store, origin }: YouTubeCall) => new Logins(store.sql, "youtube", origin);

export const invalidCredentials = () =>
  new YouTubeError(401, "authError", "Invalid Credentials", {
    location: "Authorization",
    locationType: "header",
  });

/**
 * Whose token the call carries.
 *
 * @throws YouTubeError 401 required, authError
 */
export async function authenticate(
  call: YouTubeCall,
): Promise<{ channel: Channel; token: string }> {
  const header = call.request.headers.get("authorization");
  if (header === null) {
    throw new YouTubeError(401, "required", "Login Required.", {
      location: "Authorization",
      locationType: "header",
    });
  }
  const token = /^Bearer (.+)$/.exec(header)?.[1] ?? "";
  const name = loginsOf(call).nameOf(token, "access");
  if (name === null || name === "expired") throw invalidCredentials();
  return { channel: await toChannel(name), token };
}

const CHANNEL_PARTS = ["id", "snippet", "contentDetails", "statistics", "status"];
const PICTURE = "https://yt3.sandbox.test/channel";

export async function listChannels(call: YouTubeCall): Promise<Response> {
  const { channel } = await authenticate(call);
  requireKnownParameters(call, ["part", "mine", "maxResults"]);
  const parts = requireParts(call, CHANNEL_PARTS);
  if (call.url.searchParams.get("mine") !== "true") {
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
    ...Object.fromEntries(
      parts.flatMap((part) => (resource[part] ? [[part, resource[part]]] : [])),
    ),
  };
  return Response.json({
    kind: "youtube#channelListResponse",
    pageInfo: { totalResults: 1, resultsPerPage: 5 },
    items: [item],
  });
}

const oauthError = (status: number, error: string, error_description: string): Response =>
  Response.json({ error, error_description }, { status });

const MAX_FORM_BYTES = 10_000;

async function readForm({ request }: YouTubeCall): Promise<URLSearchParams> {
  const type = request.headers.get("content-type") ?? "";
  if (!type.startsWith("application/x-www-form-urlencoded")) return new URLSearchParams();
  const bytes = await readBody(request, MAX_FORM_BYTES);
  return new URLSearchParams(new TextDecoder().decode(bytes ?? undefined));
}

/** A new access token; the refresh token lives on. Which app asks does not matter here. */
export async function refreshTokens(call: YouTubeCall): Promise<Response> {
  const form = await readForm(call);
  if (form.get("grant_type") !== "refresh_token") {
    return oauthError(
      400,
      "unsupported_grant_type",
      `Invalid grant_type: ${form.get("grant_type")}`,
    );
  }
  for (const name of ["client_id", "client_secret", "refresh_token"]) {
    if (form.get(name) !== null) continue;
    return oauthError(400, "invalid_request", `Missing required parameter: ${name}`);
  }
  const logins = loginsOf(call);
  const name = logins.nameOf(form.get("refresh_token") ?? "", "refresh");
  if (name === null || name === "expired") {
    return oauthError(400, "invalid_grant", "Token has been expired or revoked.");
  }
  return Response.json({
    access_token: logins.issue(name, "access", ACCESS_SECONDS),
    expires_in: ACCESS_SECONDS,
    scope: SCOPES,
    token_type: "Bearer",
  });
}

/** Ends every token of the login. */
export async function revokeTokens(call: YouTubeCall): Promise<Response> {
  const token = (await readForm(call)).get("token") ?? call.url.searchParams.get("token") ?? "";
  const logins = loginsOf(call);
  const name = logins.nameOf(token, "refresh") ?? logins.nameOf(token, "access");
  if (name === null || name === "expired") {
    return oauthError(400, "invalid_token", "Token expired or revoked");
  }
  logins.endAll(name);
  return Response.json({});
}
