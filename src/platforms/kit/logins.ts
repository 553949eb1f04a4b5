import * as z from "zod";
import { now } from "../../core/clock.ts";
import type { OtherApp } from "../../core/platforms.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { addSeconds } from "../../core/time.ts";
import type { Fetch } from "../connector.ts";
import type { ConsentRefusal } from "../consent.ts";
import {
  type AppKeys,
  type Connected,
  type Credentials,
  type LoginRefusal,
  MAX_NAME_CHARACTERS,
  type Profile,
} from "../login.ts";
import { oneLine } from "./replies.ts";
import { publicAddress } from "./shapes.ts";

/** Only connecting the account again helps. */
export const finalRefusal = (message: string, field?: LoginRefusal["field"]) =>
  refuse<LoginRefusal>({ message, final: true, ...(field ? { field } : {}) });

export const notRenewable = (platform: string) =>
  finalRefusal(`This ${platform} login cannot be renewed; connect the account again.`);

export const toConsentRefusal = ({ final, message }: LoginRefusal): ConsentRefusal => ({
  failure: final ? "refused" : "unavailable",
  message,
});

export interface Owner {
  id: string;
  /** The platform's id of the person behind the account. */
  userId?: string | null;
  name: string | null | undefined;
  handle?: string | null;
  picture?: string | null;
}

/** Bluesky's handles are domain names. Source: RFC 1035, 2.3.4. */
const MAX_HANDLE_CHARACTERS = 253;
/** A `did:web:` of the longest domain name has 261. */
const MAX_ID_CHARACTERS = 300;

export function toProfile({ id, userId, name, handle, picture }: Owner): Profile {
  const shownHandle = oneLine(handle ?? "", MAX_HANDLE_CHARACTERS) || null;
  return {
    platformAccountId: id,
    ...(userId ? { platformUserId: userId } : {}),
    accountName:
      oneLine(name ?? "", MAX_NAME_CHARACTERS) || shownHandle || oneLine(id, MAX_NAME_CHARACTERS),
    handle: shownHandle,
    profileImageUrl: publicAddress(picture),
    service: null,
  };
}

/** The id comes from a server that anyone may run. */
export const refusedProfile = ({ platformAccountId: id }: Profile): string | null =>
  id !== "" && oneLine(id, MAX_ID_CHARACTERS) === id
    ? null
    : "The server names an account whose id cannot be read. Nothing was connected.";

export const toConnected = <T, R extends { message: string }>(
  reply: Result<T, R>,
  credentials: Credentials,
  isFinal: (refusal: R) => boolean,
  toOwner: (value: T) => Owner,
): Result<Connected, LoginRefusal> =>
  reply.ok
    ? ok({ profile: toProfile(toOwner(reply.value)), credentials })
    : refuse({ message: reply.error.message, final: isFinal(reply.error) });

/** Simulated accounts need no keys. */
export const keysOf = (app: AppKeys | null): AppKeys => app ?? { clientId: "", clientSecret: "" };

/** @param name of a platform, or of one of its other apps */
export const slugOf = (name: string): string => name.toLowerCase().replaceAll(" ", "_");

function keyNames(app: string): string {
  const prefix = slugOf(app).toUpperCase();
  return `${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET`;
}

/** @param app prefix of the app's variables, in lower case */
export const unknownApp = (platform: string, wording: string, app: string = platform): string =>
  `${platform} does not know this instance's app: ${wording.replace(/\.$/, "")}. Its owner has to check ${keyNames(app)}.`;

/** The last code is LinkedIn's. */
const UNKNOWN_APP = new Set(["invalid_client", "unauthorized_client", "invalid_client_id"]);

/** Source: RFC 6749, 5.2. */
export const isUnknownApp = (error: string | null): boolean =>
  error !== null && UNKNOWN_APP.has(error);

/** `keys` are sent by HTTP Basic. Source: RFC 6749, 2.3.1. */
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

export async function callUnread(fetch: Fetch, request: Request): Promise<void> {
  const reply = await fetch(request);
  await reply.body?.cancel();
}

/** Source: RFC 6749, 5.1. */
export const grantedTokens = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive(),
  refresh_token: z.string().min(1).nullish(),
  refresh_token_expires_in: z.number().positive().optional().catch(undefined),
});

interface GrantedTokens {
  access_token: string;
  expires_in?: number | null;
  refresh_token?: string | null;
  refresh_expires_in?: number;
  refresh_token_expires_in?: number;
}

interface RefreshGrant<T extends GrantedTokens, R extends { message: string }> {
  /** In upper case, the prefix of the app's variables, unless `other` names another app. */
  platform: string;
  other?: OtherApp | undefined;
  request(keys: AppKeys, refreshToken: string): Request;
  read(reply: Response): Promise<Result<T, R>>;
  isLost(refusal: R): boolean;
  /** The platform refuses the app; the login stays valid. */
  isAboutApp(refusal: R): boolean;
  isTemporary(refusal: R): boolean;
  mismatch?(tokens: T): string | null;
}

/** Keeps the old refresh token unless a new one is sent. */
export async function refreshByGrant<T extends GrantedTokens, R extends { message: string }>(
  fetch: Fetch,
  { refreshToken, expiresAt, refreshEndsAt = null }: Credentials,
  app: AppKeys | null,
  { platform, other, request, read, isLost, isAboutApp, isTemporary, mismatch }: RefreshGrant<T, R>,
): Promise<Result<Credentials, LoginRefusal>> {
  if (!refreshToken) return notRenewable(platform);
  const reply = await read(await fetch(request(keysOf(app), refreshToken)));
  if (!reply.ok) {
    const { message } = reply.error;
    if (app && isAboutApp(reply.error)) {
      return refuse({ message: unknownApp(platform, message, other), final: false });
    }
    if (isLost(reply.error)) return refuse({ message, final: true, isEnded: true });
    if (isTemporary(reply.error)) return refuse({ message, final: false });
    if (app) return refuse({ message, final: false, isAboutLogin: true });
    return refuse({
      message: `${keyNames(other ?? platform)} are not set, so this login cannot be renewed.`,
      final: expiresAt !== null && expiresAt <= now(),
    });
  }
  const problem = mismatch?.(reply.value) ?? null;
  if (problem !== null) return finalRefusal(problem);
  const { access_token, refresh_token, expires_in } = reply.value;
  const { refresh_expires_in, refresh_token_expires_in = refresh_expires_in } = reply.value;
  const renewer = refresh_token || refreshToken;
  const renewerEndsAt = refresh_token_expires_in
    ? addSeconds(now(), refresh_token_expires_in)
    : renewer === refreshToken && refreshEndsAt;
  return ok({
    accessToken: access_token,
    refreshToken: renewer,
    expiresAt: expires_in ? addSeconds(now(), expires_in) : null,
    ...(renewerEndsAt ? { refreshEndsAt: renewerEndsAt } : {}),
  });
}
