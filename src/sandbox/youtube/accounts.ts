import { googleTokens } from "../google/tokens.ts";
import { followersOf } from "../kit/audience.ts";
import { hasScope, scopesOf } from "../kit/codes.ts";
import { bearerOf, pickFields } from "../kit/input.ts";
import { digitsOf, usernameOf } from "../kit/logins.ts";
import type { Call } from "../kit/simulator.ts";
import { badParameter, refusal, requireKnownParameters, requireParts } from "./call.ts";
import { ALL_SCOPES, READONLY, UPLOAD } from "./consent.ts";

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

export const tokens = googleTokens("youtube", SCOPES);

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
  const name = tokens.loginsOf(call).liveNameOf(token, "access");
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
