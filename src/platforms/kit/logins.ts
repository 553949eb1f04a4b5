import * as z from "zod";
import { now } from "../../core/clock.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { addSeconds } from "../../core/time.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Fetch } from "../connector.ts";
import type { AppKeys, Connected, Credentials, LoginRefusal, Profile } from "../login.ts";

/** A refusal that only a person can mend, by connecting the account again. */
export const finalRefusal = (message: string, field?: LoginRefusal["field"]) =>
  refuse<LoginRefusal>({ message, final: true, ...(field ? { field } : {}) });

/** Refuses to renew a login that has no refresh token. @param platform its name as people know it */
export const notRenewable = (platform: string) =>
  finalRefusal(`This ${platform} login cannot be renewed; connect the account again.`);

/** Returns the address of a profile's picture where anybody may fetch it, else null. */
export const publicPicture = (url: string | null | undefined): string | null =>
  url && refusedUrl(url) === null ? url : null;

/** The owner of a token, as the platform describes them. */
export interface Owner {
  id: string;
  name: string | null | undefined;
  handle?: string | null;
  picture?: string | null;
}

/** The profile of an account; one without a name goes by its handle, or its id. */
export const toProfile = ({ id, name, handle = null, picture }: Owner): Profile => ({
  platformAccountId: id,
  accountName: name?.trim() || handle || id,
  handle,
  profileImageUrl: publicPicture(picture),
  service: null,
});

/** Turns the platform's reply about the owner of a token into a connection, or its refusal. */
export const toConnected = <T, R extends { message: string }>(
  reply: Result<T, R>,
  credentials: Credentials,
  isFinal: (refusal: R) => boolean,
  toOwner: (value: T) => Owner,
): Result<Connected, LoginRefusal> =>
  reply.ok
    ? ok({ profile: toProfile(toOwner(reply.value)), credentials })
    : refuse({ message: reply.error.message, final: isFinal(reply.error) });

/** Returns the app's keys; empty ones where none are set: a simulated account needs none. */
export const keysOf = (app: AppKeys | null): AppKeys => app ?? { clientId: "", clientSecret: "" };

/** A POST of form fields; `keys` go along by HTTP Basic. Source: RFC 6749, 2.3.1. */
export const formRequest = (url: string, fields: Record<string, string>, keys?: AppKeys): Request =>
  new Request(url, {
    method: "POST",
    headers: {
      ...(keys ? { authorization: `Basic ${btoa(`${keys.clientId}:${keys.clientSecret}`)}` } : {}),
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams(fields).toString(),
    redirect: "manual",
  });

/** Makes a call whose answer does not matter. */
export async function callUnread(fetch: Fetch, request: Request): Promise<void> {
  const reply = await fetch(request);
  await reply.body?.cancel();
}

/** The body of a successful token reply. Source: RFC 6749, 5.1. */
export const grantedTokens = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive(),
  /** Missing where the old one stays valid. */
  refresh_token: z.string().min(1).nullish(),
});

interface GrantedTokens {
  access_token: string;
  expires_in?: number | null;
  refresh_token?: string | null;
  refresh_expires_in?: number;
}

/** How a platform renews a login by its refresh token. */
interface RefreshGrant<T extends GrantedTokens, R extends { message: string }> {
  /** Its name as people know it; in upper case it begins the names of its app's variables. */
  platform: string;
  request(keys: AppKeys, refreshToken: string): Request;
  read(reply: Response): Promise<Result<T, R>>;
  /** Returns true where the refresh token itself is refused, not the app or the moment. */
  isLost(refusal: R): boolean;
  /** Returns true where the same call may succeed later. */
  isPassing(refusal: R): boolean;
  /** Returns why tokens that were granted are of no use, or null. */
  mismatch?(tokens: T): string | null;
}

/** Renews a login by OAuth 2's refresh_token grant; the refresh token stays unless another is sent. */
export async function refreshByGrant<T extends GrantedTokens, R extends { message: string }>(
  fetch: Fetch,
  { refreshToken, expiresAt }: Credentials,
  app: AppKeys | null,
  { platform, request, read, isLost, isPassing, mismatch }: RefreshGrant<T, R>,
): Promise<Result<Credentials, LoginRefusal>> {
  if (!refreshToken) return notRenewable(platform);
  const reply = await read(await fetch(request(keysOf(app), refreshToken)));
  if (!reply.ok) {
    const { message } = reply.error;
    if (isLost(reply.error)) return finalRefusal(message);
    if (app || isPassing(reply.error)) return refuse({ message, final: false });
    const name = platform.toUpperCase();
    return refuse({
      message: `${name}_CLIENT_ID and ${name}_CLIENT_SECRET are not set, so this login cannot be renewed.`,
      final: expiresAt !== null && expiresAt <= now(),
    });
  }
  const problem = mismatch?.(reply.value) ?? null;
  if (problem !== null) return finalRefusal(problem);
  const { access_token, refresh_token, expires_in, refresh_expires_in } = reply.value;
  return ok({
    accessToken: access_token,
    refreshToken: refresh_token || refreshToken,
    expiresAt: expires_in ? addSeconds(now(), expires_in) : null,
    ...(refresh_expires_in ? { refreshEndsAt: addSeconds(now(), refresh_expires_in) } : {}),
  });
}
