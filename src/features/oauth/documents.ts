import * as z from "zod";
import { DAY, MINUTE, SECOND } from "../../core/time.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Deps } from "../../deps.ts";
import { cleanName } from "./names.ts";
import { OAuthRefusal } from "./refusal.ts";
import { documentAt, storeDocument } from "./repo/clients.ts";
import { refusedRedirect } from "./rules.ts";
import type { ClientDocument } from "./table.ts";

/** Source: draft-ietf-oauth-client-id-metadata-document, 6.6. */
const MAX_BYTES = 5_120;
const MAX_URL = 500;
const MAX_REDIRECTS = 20;
const TIMEOUT_MS = 5 * SECOND;
const MIN_FRESH_MS = 5 * MINUTE;
const MAX_FRESH_MS = DAY;
const FAILURE_FRESH_MS = MINUTE;

const documentSchema = z.object({
  client_id: z.string(),
  client_name: z.string().min(1).max(500),
  redirect_uris: z.array(z.string().max(2_000)).min(1).max(MAX_REDIRECTS),
  client_secret: z.never().optional(),
});

const refuse = (message: string, reason: string) =>
  new OAuthRefusal("invalid_client", `The program's metadata document ${message}.`, reason);

function requireDocumentUrl(id: string, ownHosts: readonly string[]): void {
  const url = URL.parse(id);
  const refusal = id.length > MAX_URL ? "is too long" : refusedUrl(id, { ownHosts });
  if (refusal || !url) throw refuse(`cannot be read: its address ${refusal}`, "document_address");
  const isPlain = url.href === id && url.pathname !== "/" && url.hash === "" && url.search === "";
  if (!isPlain)
    throw refuse(
      "cannot be read: its address is more than https, host and path",
      "document_address",
    );
}

/**
 * Returns the document at a client id that is an address. While its host is down, the last document stays in use.
 *
 * @throws OAuthRefusal invalid_client
 */
export async function readDocument(
  deps: Deps,
  id: string,
  freshness: "fresh" | "stored",
): Promise<ClientDocument> {
  const { publicUrl } = deps.config;
  requireDocumentUrl(id, publicUrl === null ? [] : [new URL(publicUrl).host]);
  const [[stored]] = await deps.db.run([documentAt({ url: id })]);
  const now = deps.now();
  const isFresh = stored !== undefined && stored.freshUntil > now;
  if (stored?.document && (isFresh || freshness === "stored")) return stored.document;
  if (isFresh)
    throw refuse("could not be read a moment ago. Try again in a minute", "document_failed");
  try {
    const { document, freshForMs } = await fetchDocument(deps, id);
    const freshUntil = new Date(now.getTime() + freshForMs);
    await deps.db.run([storeDocument({ url: id, document, fetchedAt: now, freshUntil })]);
    return document;
  } catch (error) {
    const freshUntil = new Date(now.getTime() + FAILURE_FRESH_MS);
    await deps.db.run([storeDocument({ url: id, document: null, fetchedAt: now, freshUntil })]);
    const isUnreachable = error instanceof OAuthRefusal && error.reason === "document_unreachable";
    if (isUnreachable && stored?.document) return stored.document;
    throw error;
  }
}

interface Fetched {
  document: ClientDocument;
  freshForMs: number;
}

async function fetchDocument(deps: Deps, id: string): Promise<Fetched> {
  const answer = await deps
    .fetch(id, {
      redirect: "manual",
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    .catch(() => {
      throw refuse("cannot be reached", "document_unreachable");
    });
  if (answer.status >= 500) throw refuse("cannot be reached", "document_unreachable");
  if (answer.status !== 200) {
    throw refuse(`answers with status ${answer.status} instead of 200`, "document_status");
  }
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(answer.headers.get("content-type") ?? "")) {
    throw refuse("is not JSON", "document_type");
  }
  const document = readDocumentText(await readText(answer), id);
  return { document, freshForMs: freshForMs(answer.headers.get("cache-control")) };
}

async function readText(answer: Response): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let size = 0;
  let text = "";
  try {
    for await (const chunk of answer.body ?? []) {
      size += chunk.byteLength;
      if (size > MAX_BYTES) throw refuse("is larger than 5 KB", "document_large");
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof OAuthRefusal) throw error;
    throw refuse("cannot be read", "document_unreachable");
  }
}

function readDocumentText(text: string, id: string): ClientDocument {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw refuse("is not JSON", "document_type");
  }
  const { data } = documentSchema.safeParse(json);
  if (!data) throw refuse("lacks client_id, client_name or redirect_uris", "document_fields");
  if (data.client_id !== id) throw refuse("names another client_id", "document_id");
  const redirectUris = data.redirect_uris.filter((uri) => refusedRedirect(uri) === null);
  if (redirectUris.length === 0)
    throw refuse("has no redirect address that is allowed", "document_fields");
  return { name: cleanName(data.client_name) || new URL(id).hostname, redirectUris };
}

function freshForMs(cacheControl: string | null): number {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl ?? "")?.[1];
  const ms = seconds === undefined ? MIN_FRESH_MS : Number(seconds) * SECOND;
  return Math.min(MAX_FRESH_MS, Math.max(MIN_FRESH_MS, ms));
}
