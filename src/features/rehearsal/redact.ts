import { oneLine, parseJson } from "../../platforms/kit/replies.ts";

export const HIDDEN = "[hidden]";

const MAX_ANSWER_CHARACTERS = 800;
const MAX_ADDRESS_CHARACTERS = 300;
/** Shorter parts of a login, such as `1`, occur in many texts. */
const MIN_SECRET_CHARACTERS = 6;

/** Query parameters without secrets; the values of all others are hidden. */
const SHOWN_PARAMETERS = new Set([
  "action",
  "author",
  "collection",
  "count",
  "fbid",
  "fields",
  "id",
  "ids",
  "limit",
  "max_results",
  "mine",
  "notifySubscribers",
  "page_size",
  "part",
  "q",
  "repo",
  "rkey",
  "since",
  "sortBy",
  "start",
  "story_fbid",
  "tweet.fields",
  "uploadType",
  "user.fields",
  "v",
]);

const SECRET_FIELD =
  /token|secret|passw|jwt|authoriz|signature|credential|assertion|proof|verifier|cookie|session|nonce|upload_parameters|upload_?url|e-?mail|phone|^key$|^sig$/i;

/** Matches tokens, signatures and hashes, but no ids of posts. */
const LONG_RUN = /[\w+=%~-]{32,}(?:\.[\w+=%~-]+)*/g;

const ADDRESS = /\bhttps?:\/\/[^\s"'<>\\]+/gi;

const hideRuns = (text: string): string => text.replace(LONG_RUN, HIDDEN);

/** Hides the values of unknown parameters, the fragment and the user of an address. */
export function shownAddress(address: string, secrets: readonly string[]): string {
  if (!URL.canParse(address)) return HIDDEN;
  const url = new URL(address);
  const path = url.pathname.split("/").map(hideRuns).join("/");
  const query = [...url.searchParams]
    .map(([name, value]) =>
      SHOWN_PARAMETERS.has(name) ? `${name}=${hideRuns(value)}` : `${hideRuns(name)}=${HIDDEN}`,
    )
    .join("&");
  const shown = `${url.origin}${path}${query === "" ? "" : `?${query}`}`;
  return hideSecrets(shown, secrets).slice(0, MAX_ADDRESS_CHARACTERS);
}

function hideSecrets(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_CHARACTERS) continue;
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
      shown = shown.replaceAll(form, HIDDEN);
    }
  }
  return shown;
}

/** An unquoted HTTP error may repeat an address with a token. */
export function shownText(text: string, secrets: readonly string[]): string {
  const parts: string[] = [];
  let from = 0;
  const known = hideSecrets(text, secrets);
  for (const { 0: address, index } of known.matchAll(ADDRESS)) {
    parts.push(hideRuns(known.slice(from, index)), shownAddress(address, secrets));
    from = index + address.length;
  }
  parts.push(hideRuns(known.slice(from)));
  return parts.join("");
}

/** Error codes are words or numbers; codes of a login have digits among letters. */
const isErrorCode = (value: unknown): boolean =>
  typeof value === "number" || (typeof value === "string" && /^[a-z_ .-]{0,64}$/i.test(value));

function shownValue(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string") return shownText(value, secrets);
  if (Array.isArray(value)) return value.map((one) => shownValue(one, secrets));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => {
      const isSecret = SECRET_FIELD.test(field) || (field === "code" && !isErrorCode(inner));
      return [shownText(field, secrets), isSecret ? HIDDEN : shownValue(inner, secrets)];
    }),
  );
}

/** @param body null when it was too long to read */
export function shownAnswer(
  body: string | null,
  type: string,
  secrets: readonly string[],
): string | null {
  if (body === null) return "(a long body)";
  if (body.trim() === "") return null;
  const json = parseJson(body);
  if (json !== undefined) {
    return oneLine(JSON.stringify(shownValue(json, secrets)), MAX_ANSWER_CHARACTERS);
  }
  if (/html/i.test(type)) return `(HTML of ${body.length} characters)`;
  return oneLine(shownText(body, secrets), MAX_ANSWER_CHARACTERS);
}
