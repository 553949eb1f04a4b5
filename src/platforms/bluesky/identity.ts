import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Fetch } from "../connector.ts";
import { finalRefusal } from "../kit/logins.ts";
import { capped } from "../kit/replies.ts";
import type { LoginRefusal } from "../login.ts";
import {
  documentRequest,
  ENTRYWAY,
  PUBLIC_API,
  readDidDocumentReply,
  readResolveHandleReply,
  resolveHandleRequest,
  type XrpcRefusal,
} from "./api.ts";

/** @see https://atproto.com/specs/handle */
export const HANDLE =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export const unknownIdentifier = (message: string) => finalRefusal(message, "identifier");

/** 4xx is final, except timeouts (408) and rate limits (429). */
export function toLoginRefusal({ status, message }: XrpcRefusal): LoginRefusal {
  return { message, final: status >= 400 && status < 500 && status !== 408 && status !== 429 };
}

/**
 * Null for other kinds of DID and forbidden hosts.
 * @see https://atproto.com/specs/did
 */
export function didDocumentUrl(did: string): string | null {
  if (/^did:plc:[a-z2-7]{24}$/.test(did)) return `https://plc.directory/${did}`;
  const host = /^did:web:([a-z0-9.-]+)$/i.exec(did)?.[1];
  const url = `https://${host}/.well-known/did.json`;
  return host && refusedUrl(url) === null ? url : null;
}

const didServices = z.object({ service: z.array(z.unknown()) });
const pdsService = z.object({
  id: z.string(),
  type: z.literal("AtprotoPersonalDataServer"),
  serviceEndpoint: z.string(),
});

function endpointOf(document: unknown, did: string): URL | null {
  const services = didServices.safeParse(document).data?.service ?? [];
  for (const entry of services) {
    const service = pdsService.safeParse(entry).data;
    if (service?.id !== "#atproto_pds" && service?.id !== `${did}#atproto_pds`) continue;
    return URL.parse(service.serviceEndpoint);
  }
  return null;
}

/** Null when the document names no server that may be called. */
export function pdsOf(document: unknown, did: string): string | null {
  const endpoint = endpointOf(document, did);
  return endpoint && refusedUrl(endpoint) === null ? endpoint.origin : null;
}

export interface Home {
  did: string;
  pds: string;
}

/** The DID document must name the handle too. */
export async function resolveHandle(
  fetch: Fetch,
  handle: string,
): Promise<Result<Home, LoginRefusal>> {
  const reply = await readResolveHandleReply(await fetch(resolveHandleRequest(PUBLIC_API, handle)));
  if (reply.ok) return resolveDid(fetch, reply.value, handle);
  if (reply.error.status !== 400) return refuse(toLoginRefusal(reply.error));
  return unknownIdentifier(`No Bluesky account has the handle ${handle}; check its spelling.`);
}

const namedHandles = z.object({ alsoKnownAs: z.array(z.unknown()) });

type DidDocument = { id: string };

/** @see https://atproto.com/specs/did */
async function readDidDocument(
  fetch: Fetch,
  did: string,
): Promise<Result<DidDocument, LoginRefusal>> {
  const url = didDocumentUrl(did);
  if (!url) return unknownIdentifier(`${did} is not a DID of a Bluesky account.`);
  const reply = await readDidDocumentReply(await fetch(documentRequest(url)));
  if (reply.ok) return reply;
  const isGone = reply.error.status === 404 || reply.error.status === 410;
  if (isGone) return unknownIdentifier(`No Bluesky account has the DID ${did}.`);
  return refuse({ message: reply.error.message, final: false });
}

/** @param handle has to stand in the DID document */
export async function resolveDid(
  fetch: Fetch,
  did: string,
  handle: string | null = null,
): Promise<Result<Home, LoginRefusal>> {
  const document = await readDidDocument(fetch, did);
  if (!document.ok) return document;
  const names = namedHandles.safeParse(document.value).data?.alsoKnownAs ?? [];
  if (handle !== null && !names.includes(`at://${handle}`)) {
    return unknownIdentifier(`The account behind ${handle} does not have that handle any more.`);
  }
  const pds = document.value.id === did ? pdsOf(document.value, did) : null;
  return pds
    ? ok({ did, pds })
    : unknownIdentifier(`The DID document of ${did} names no usable server.`);
}

/** Servers run by Bluesky, whose logins the entryway takes. */
export const BLUESKY_HOSTS = ".host.bsky.network";

const speaksFor = (server: string, { origin, hostname }: URL): boolean =>
  server === origin || (server === ENTRYWAY && hostname.endsWith(BLUESKY_HOSTS));

/** `unproven`: the DID document is unreadable. `foreign`: the document names another server. */
export type Proof =
  | { kind: "proven"; pds: string }
  | { kind: "unproven" | "foreign"; refusal: LoginRefusal };

/**
 * Verifies that a server keeps the account.
 * @param server an origin
 * @see https://atproto.com/specs/did
 * @throws Error when the document's host does not answer
 */
export async function proveServer(fetch: Fetch, did: string, server: string): Promise<Proof> {
  const document = await readDidDocument(fetch, did);
  if (!document.ok) return { kind: "unproven", refusal: document.error };
  const endpoint = document.value.id === did ? endpointOf(document.value, did) : null;
  if (endpoint && speaksFor(server, endpoint)) return { kind: "proven", pds: endpoint.origin };
  const named = endpoint ? capped(endpoint.origin) : "no usable server";
  const message = `${server} does not keep the account ${capped(did)}: its DID document names ${named}. Log in at the server that the document names.`;
  return { kind: "foreign", refusal: { message, final: true, field: "service" } };
}

const DIRECTION_MARKS = /[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

export function plainIdentifier(text: string): string {
  const written = text.replace(DIRECTION_MARKS, "").trim().replace(/^@/, "");
  return written.startsWith("did:") ? written : written.toLowerCase();
}
