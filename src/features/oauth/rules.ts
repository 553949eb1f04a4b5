import { ANNOUNCED_SCOPES, SCOPES, type Scope } from "../../core/scopes.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../core/time.ts";
import { isLoopback } from "../../core/url-policy.ts";
import { OAuthRefusal } from "./refusal.ts";
import { RESOURCES, type Resource } from "./table.ts";

/** Apps of one team. */
export const MAX_APPS = 50;
/** Redirect addresses of one program. */
export const MAX_REDIRECTS = 10;
export const MAX_REDIRECT_LENGTH = 2_000;

export const CODE_LIFETIME_MS = MINUTE;
export const ACCESS_LIFETIME_MS = HOUR;
export const DEVICE_LIFETIME_MS = 10 * MINUTE;
/** Between two polls, and what each poll that comes too early adds. Source: RFC 8628, 3.5. */
export const POLL_SECONDS = 5;
/** A grant that is not renewed for this long ends. */
export const IDLE_MS = 60 * DAY;
/** A code that comes again so soon is a repeated call, and does not end the grant. */
export const CODE_REPEAT_MS = 10 * SECOND;
/** For this long, a replaced refresh token gets the same new pair again. */
const SHORT_GRACE_MS = MINUTE;
/** The longer time while no token of the new pair was used, because the answer was probably lost. */
const LONG_GRACE_MS = HOUR;

const OF_RESOURCE: Record<Resource, readonly Scope[]> = {
  mcp: [...ANNOUNCED_SCOPES, "posts:publish"],
  // Tokens and invitations need the scope of everything, which no program gets.
  api: SCOPES.filter((scope) => scope !== "*"),
};

/** Spec is silent: an accepted scope without effect, which several clients always send. */
const OFFLINE_ACCESS = "offline_access";

export const isScopeOf = (resource: Resource, text: string): text is Scope =>
  OF_RESOURCE[resource].includes(text as Scope);

export const scopesOf = (resource: Resource): readonly Scope[] => OF_RESOURCE[resource];

/**
 * Leaves out unknown scopes, because clients send scopes that no server has announced.
 *
 * @throws OAuthRefusal invalid_scope when none of the requested scopes is known
 */
export function readScopes(text: string | null, resource: Resource): Scope[] {
  const requested = (text ?? "").split(/\s+/).filter((one) => one !== "" && one !== OFFLINE_ACCESS);
  if (requested.length === 0) return [...ANNOUNCED_SCOPES];
  const known = [...new Set(requested)].filter((one) => isScopeOf(resource, one));
  if (known.length > 0) return known;
  throw new OAuthRefusal(
    "invalid_scope",
    `None of these scopes exists here. Ask for some of: ${OF_RESOURCE[resource].join(" ")}.`,
  );
}

const PATHS: Record<Resource, string> = { mcp: "/mcp", api: "/api/v1" };

/** @param origin the instance's own, without a slash at its end */
export const resourceUrl = (resource: Resource, origin: string): string => origin + PATHS[resource];

/**
 * Reads RFC 8707's parameter. Scheme and host may be in capitals; a slash at the end is another resource.
 *
 * @param values all `resource` parameters of the call
 * @param fallback for a call without the parameter; null: it is refused
 * @throws OAuthRefusal invalid_target
 */
export function readResource(
  values: readonly string[],
  origin: string,
  fallback: Resource | null,
): Resource {
  const [text = "", ...others] = [...new Set(values)];
  if (text === "" && fallback !== null) return fallback;
  const url = others.length === 0 ? URL.parse(text) : null;
  const isPlain = url !== null && url.search === "" && !text.includes("#");
  const match = RESOURCES.find((one) => isPlain && url.href === resourceUrl(one, origin));
  if (match) return match;
  throw new OAuthRefusal(
    "invalid_target",
    `Name one resource of this server: ${RESOURCES.map((one) => resourceUrl(one, origin)).join(" or ")}.`,
  );
}

/**
 * Exact, but for the port of this machine's own addresses.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export function isRegisteredRedirect(registered: readonly string[], uri: string): boolean {
  if (registered.includes(uri)) return true;
  const withoutPort = loopbackWithoutPort(uri);
  return withoutPort !== null && registered.some((one) => loopbackWithoutPort(one) === withoutPort);
}

export const isLoopbackRedirect = (uri: string): boolean => loopbackWithoutPort(uri) !== null;

function loopbackWithoutPort(uri: string): string | null {
  const url = URL.parse(uri);
  if (url?.protocol !== "http:" || !isLoopback(url.hostname)) return null;
  url.port = "";
  return url.href;
}

/** The one private scheme that is used: its program registers it beside others. */
const CURSOR = "cursor://anysphere.cursor-mcp/oauth/callback";

/** Where a browser may be sent with a code. Returns why not, or null. */
export function refusedRedirect(uri: string): string | null {
  const url = URL.parse(uri);
  if (!url || !/^[\x21-\x7e]+$/.test(uri)) return "is not an address";
  if (uri === CURSOR) return null;
  if (uri.includes("#")) return "must not have a fragment";
  if (url.username || url.password) return "must not contain a user name or password";
  if (url.hostname.includes("*")) return "must name one host, without *";
  if (url.protocol === "https:" || isLoopbackRedirect(uri)) return null;
  return "must be https, or http to this machine (127.0.0.1, [::1] or localhost)";
}

/** Source: RFC 7636, 4.1 and 4.2: the Base64 of a SHA-256. */
export const isChallenge = (text: string): boolean => /^[\w-]{43}$/.test(text);

export const isVerifier = (text: string): boolean => /^[\w.~-]{43,128}$/.test(text);

export interface ReplacedToken {
  replacedAt: Date;
  /** Whether a token of the new pair was presented. */
  isNextUsed: boolean;
}

/** Whether a replaced refresh token still gets its successor; otherwise it was stolen, and the grant ends. */
export function isInGrace({ replacedAt, isNextUsed }: ReplacedToken, now: Date): boolean {
  const age = now.getTime() - replacedAt.getTime();
  return age <= SHORT_GRACE_MS || (!isNextUsed && age <= LONG_GRACE_MS);
}

/** Source: RFC 8628, 3.4. */
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** Letters that make no words and cannot be confused. Source: RFC 8628, 6.1. */
const USER_CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const USER_CODE_LENGTH = 8;
/** Random bytes from here on would make some letters more likely. */
const FAIR_BYTES = 256 - (256 % USER_CODE_LETTERS.length);

export function newUserCode(): string {
  let code = "";
  while (code.length < USER_CODE_LENGTH) {
    const [byte = FAIR_BYTES] = crypto.getRandomValues(new Uint8Array(1));
    if (byte < FAIR_BYTES) code += USER_CODE_LETTERS[byte % USER_CODE_LETTERS.length];
  }
  return code;
}

/** Returns null for text that cannot be a code. Case, dashes and spaces do not matter. */
export function readUserCode(text: string): string | null {
  const code = text.toUpperCase().replaceAll(/[\s\p{Pd}]/gu, "");
  const isCode =
    code.length === USER_CODE_LENGTH && [...code].every((one) => USER_CODE_LETTERS.includes(one));
  return isCode ? code : null;
}

export const showUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

interface PolledRequest {
  polledAt: Date | null;
  intervalSeconds: number;
}

export const isEarlyPoll = ({ polledAt, intervalSeconds }: PolledRequest, now: Date): boolean =>
  polledAt !== null && now.getTime() - polledAt.getTime() < intervalSeconds * SECOND;
