import { collectBytes } from "../../core/bytes.ts";
import { HOUR, SECOND } from "../../core/time.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Deps } from "../../deps.ts";
import type { FeedRow } from "./table.ts";

export type FetchedFeed =
  | { kind: "unchanged" }
  | { kind: "changed"; text: string; url: string; etag: string | null; lastModified: string | null }
  | { kind: "failed"; problem: string; askedMs: number; isGone: boolean };

/** Spec is silent. */
const MAX_BYTES = 2_000_000;
const ANSWER_MS = 10 * SECOND;
export const MAX_REDIRECTS = 3;
const MAX_ASKED_MS = 24 * HOUR;

const ACCEPT =
  "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5";

const failed = (problem: string, askedMs = 0, isGone = false): FetchedFeed => ({
  kind: "failed",
  problem,
  askedMs,
  isGone,
});

export function refusedFeedUrl({ config }: Pick<Deps, "config">, url: string | URL): string | null {
  const { isDevelopment, publicUrl } = config;
  const ownHosts = publicUrl && !isDevelopment ? [new URL(publicUrl).host] : [];
  return refusedUrl(url, { allowHttp: true, allowLoopback: isDevelopment, ownHosts });
}

/** Asks only for what changed since the last answer. Refuses addresses of private networks, also behind redirects. */
export async function fetchFeed(
  deps: Pick<Deps, "config" | "fetch" | "now">,
  { url: first, etag, lastModified }: Pick<FeedRow, "url" | "etag" | "lastModified">,
): Promise<FetchedFeed> {
  const headers = {
    Accept: ACCEPT,
    "User-Agent": "Akimbo feed reader",
    ...(etag === null ? {} : { "If-None-Match": etag }),
    ...(lastModified === null ? {} : { "If-Modified-Since": lastModified }),
  };
  // One limit for all redirects.
  const signal = AbortSignal.timeout(ANSWER_MS);
  let url = new URL(first);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const refusal = refusedFeedUrl(deps, url);
    if (refusal) {
      const place = hops === 0 ? "The address" : `The address leads to ${url.origin}, which`;
      return failed(`${place} ${refusal}.`);
    }
    let answer: Response;
    try {
      answer = await deps.fetch(url.href, { headers, redirect: "manual", signal });
    } catch (error) {
      const isTimeout = error instanceof Error && error.name === "TimeoutError";
      return failed(isTimeout ? "It did not answer within 10 seconds." : "The connection failed.");
    }
    const target = redirectOf(answer, url);
    if (!target) return readAnswer(answer, url.href, deps.now());
    void answer.body?.cancel().catch(() => {});
    url = target;
  }
  return failed(`It redirects more than ${MAX_REDIRECTS} times.`);
}

function redirectOf({ status, headers }: Response, from: URL): URL | null {
  const isRedirect = [301, 302, 303, 307, 308].includes(status);
  return isRedirect ? URL.parse(headers.get("location") ?? "", from) : null;
}

async function readAnswer(answer: Response, url: string, now: Date): Promise<FetchedFeed> {
  const { status, headers } = answer;
  if (status === 304) return { kind: "unchanged" };
  if (!answer.ok) {
    void answer.body?.cancel().catch(() => {});
    const retryAfterMs = readRetryAfter(headers.get("retry-after"), now);
    return failed(`It answered ${status}.`, retryAfterMs, status === 410);
  }
  const bytes = await readBytes(answer);
  if (bytes === "too_large") return failed("The feed is larger than 2 MB.");
  if (bytes === "broken") return failed("The answer broke off.");
  return {
    kind: "changed",
    text: decode(bytes, headers.get("content-type") ?? ""),
    url,
    etag: headers.get("etag"),
    lastModified: headers.get("last-modified"),
  };
}

async function readBytes({ body }: Response): Promise<Uint8Array | "too_large" | "broken"> {
  try {
    return body ? ((await collectBytes(body, MAX_BYTES)) ?? "too_large") : new Uint8Array();
  } catch {
    return "broken";
  }
}

const ENCODING = /^[^>]{0,80}\bencoding=["']([\w-]+)["']/;
/** The declaration of an XML file stands at its beginning. */
const DECLARATION_BYTES = 200;

function decode(bytes: Uint8Array, contentType: string): string {
  const beginning = new TextDecoder("latin1").decode(bytes.subarray(0, DECLARATION_BYTES));
  const label =
    /charset=["']?([\w-]+)/i.exec(contentType)?.[1] ?? ENCODING.exec(beginning)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** Seconds or a date, in ms from now; at most a day. */
function readRetryAfter(header: string | null, now: Date): number {
  if (header === null) return 0;
  const ms = /^\d{1,9}$/.test(header)
    ? Number(header) * SECOND
    : new Date(header).getTime() - now.getTime();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_ASKED_MS) : 0;
}
