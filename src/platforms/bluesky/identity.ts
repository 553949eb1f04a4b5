import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Fetch } from "../connector.ts";
import { finalRefusal } from "../kit/logins.ts";
import type { LoginRefusal } from "../login.ts";
import {
  documentRequest,
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

/** 4xx is an answer about this login, apart from being too many or too slow. */
export function toLoginRefusal({ status, message }: XrpcRefusal): LoginRefusal {
  return { message, final: status >= 400 && status < 500 && status !== 408 && status !== 429 };
}

/**
 * Returns where the document of a DID lies, or null when it is of no kind that the network uses or names a
 * host that must not be fetched.
 *
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

/** The origin of the account's server by its DID document; null when it names none we may call. */
export function pdsOf(document: unknown, did: string): string | null {
  const services = didServices.safeParse(document).data?.service ?? [];
  for (const entry of services) {
    const service = pdsService.safeParse(entry).data;
    if (service?.id !== "#atproto_pds" && service?.id !== `${did}#atproto_pds`) continue;
    return refusedUrl(service.serviceEndpoint) ? null : new URL(service.serviceEndpoint).origin;
  }
  return null;
}

/** An account of the network: its DID, and the origin of the server that keeps it. */
export interface Home {
  did: string;
  pds: string;
}

/** The account that a handle leads to. A handle counts where the account's own document names it too. */
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

/**
 * The account of a DID.
 *
 * @param handle one that its document has to name
 * @see https://atproto.com/specs/did
 */
export async function resolveDid(
  fetch: Fetch,
  did: string,
  handle: string | null = null,
): Promise<Result<Home, LoginRefusal>> {
  const url = didDocumentUrl(did);
  if (!url) return unknownIdentifier(`${did} is not a DID of a Bluesky account.`);
  const reply = await readDidDocumentReply(await fetch(documentRequest(url)));
  if (!reply.ok) {
    const isGone = reply.error.status === 404 || reply.error.status === 410;
    if (isGone) return unknownIdentifier(`No Bluesky account has the DID ${did}.`);
    return refuse({ message: reply.error.message, final: false });
  }
  const names = namedHandles.safeParse(reply.value).data?.alsoKnownAs ?? [];
  if (handle !== null && !names.includes(`at://${handle}`)) {
    return unknownIdentifier(`The account behind ${handle} does not have that handle any more.`);
  }
  const pds = reply.value.id === did ? pdsOf(reply.value, did) : null;
  return pds
    ? ok({ did, pds })
    : unknownIdentifier(`The DID document of ${did} names no usable server.`);
}

/** Marks of text direction, which come along when a handle is copied from an app. */
const DIRECTION_MARKS = /[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** A handle, DID or address as a person writes it, in its plain form. */
export function plainIdentifier(text: string): string {
  const written = text.replace(DIRECTION_MARKS, "").trim().replace(/^@/, "");
  return written.startsWith("did:") ? written : written.toLowerCase();
}
