import { AppError } from "../../core/errors.ts";
import { SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";

const API = "https://api.cloudflare.com/client/v4";
const PATIENCE_MS = 10 * SECOND;

type EdgeDeps = Pick<Deps, "config" | "fetch" | "log">;

/** A host name as the edge knows it. */
export interface EdgeHostname {
  id: string;
  /** It is the owner's, and has a certificate. */
  isActive: boolean;
  txtName: string;
  txtValue: string;
  cnameTarget: string;
  /** Reasons why it is not active yet, in the edge's words. */
  problems: string[];
}

/** The outcome of a call: its result, or a refusal with the edge's codes. */
type Told = { result: unknown } | { status: number; codes: number[]; messages: string[] };

const unavailable = (message: string, seconds: number): AppError =>
  new AppError("UNAVAILABLE", message, { headers: { "Retry-After": String(seconds) } });

/**
 * Calls the API of custom hostnames.
 *
 * @throws AppError UNAVAILABLE where it does not answer in time, allows no more calls, or the owner's token is refused
 * @see https://developers.cloudflare.com/api/resources/custom_hostnames/
 */
async function call(deps: EdgeDeps, method: string, path: string, body?: object): Promise<Told> {
  const { edge } = deps.config;
  if (!edge) throw new Error("There is no way to the edge.");
  let response: Response;
  let told: unknown;
  try {
    response = await deps.fetch(`${API}/zones/${edge.zoneId}/custom_hostnames${path}`, {
      method,
      headers: { Authorization: `Bearer ${edge.apiToken}`, "Content-Type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    told = JSON.parse((await response.text()) || "null");
  } catch (error) {
    deps.log({ event: "edge.unreachable", error: String(error) });
    throw unavailable("Cloudflare does not answer at the moment. Send the call again.", 30);
  }
  const { success, result, errors } = (told ?? {}) as Record<string, unknown>;
  // The answer to a removal that worked has no `success`.
  if (response.ok && (success === true || method === "DELETE")) return { result };
  const list = (Array.isArray(errors) ? errors : []) as { code?: unknown; message?: unknown }[];
  const refusal = {
    status: response.status,
    codes: list.flatMap(({ code }) => (typeof code === "number" ? [code] : [])),
    messages: list.flatMap(({ message }) => (typeof message === "string" ? [message] : [])),
  };
  deps.log({ event: "edge.refused", status: response.status, codes: refusal.codes.join(" ") });
  if (response.status === 429) {
    const seconds = Number(response.headers.get("retry-after")) || 60;
    throw unavailable(
      "Cloudflare allows no more calls for the moment. Send the call again later.",
      seconds,
    );
  }
  if (response.status === 401 || response.status === 403) {
    throw unavailable(
      "Cloudflare refuses this instance's CLOUDFLARE_API_TOKEN. Its owner has to set one that may edit SSL and Certificates of the zone CLOUDFLARE_ZONE_ID.",
      3_600,
    );
  }
  if (response.status >= 500) {
    throw unavailable("Cloudflare has a problem of its own. Send the call again later.", 60);
  }
  return refusal;
}

const text = (value: unknown): string => (typeof value === "string" ? value.slice(0, 500) : "");

/** Reads a host name off the edge's answer. @throws AppError UNAVAILABLE for what is none */
function readHostname(value: unknown): EdgeHostname {
  const { id, status, ownership_verification, verification_errors, ssl } = (value ?? {}) as Record<
    string,
    unknown
  >;
  if (typeof id !== "string" || id === "") {
    throw unavailable("Cloudflare's answer could not be read. Send the call again.", 60);
  }
  const owned = (ownership_verification ?? {}) as Record<string, unknown>;
  const certificate = (ssl ?? {}) as Record<string, unknown>;
  const [delegation] = Array.isArray(certificate.dcv_delegation_records)
    ? (certificate.dcv_delegation_records as Record<string, unknown>[])
    : [];
  const problems = Array.isArray(verification_errors) ? verification_errors.map(text) : [];
  return {
    id,
    isActive: status === "active" && certificate.status === "active",
    txtName: text(owned.name),
    txtValue: text(owned.value),
    cnameTarget: text(delegation?.cname_target),
    problems: problems.filter(Boolean).slice(0, 3),
  };
}

/** Source: Cloudflare, custom hostnames, "Duplicate custom hostname found". */
const DUPLICATE = 1_406;

/**
 * Makes a host name at the edge; one that an earlier call has made, whose answer got lost, is taken over where
 * its records are still to be shown.
 *
 * @throws AppError UNAVAILABLE, 400 for a name that the edge does not take
 */
export async function createHostname(deps: EdgeDeps, hostname: string): Promise<EdgeHostname> {
  const ssl = { method: "txt", type: "dv", settings: { min_tls_version: "1.2" } };
  const told = await call(deps, "POST", "", { hostname, ssl });
  if ("result" in told) return readHostname(told.result);
  if (told.codes.includes(DUPLICATE)) {
    const found = await call(deps, "GET", `?hostname=${encodeURIComponent(hostname)}`);
    const [known] = "result" in found && Array.isArray(found.result) ? found.result : [];
    const earlier = known && readHostname(known);
    // One that works already is somebody's: nobody would have to show that it is theirs.
    if (earlier && !earlier.isActive) return earlier;
  }
  throw new AppError(null, `domain: Cloudflare does not take it. ${told.messages[0] ?? ""}`.trim());
}

/** Reads a host name, after asking the edge to look at its records; null where it knows none. */
export async function checkHostname(deps: EdgeDeps, id: string): Promise<EdgeHostname | null> {
  const told = await call(deps, "PATCH", `/${encodeURIComponent(id)}`, {
    ssl: { method: "txt", type: "dv" },
  });
  return "result" in told ? readHostname(told.result) : null;
}

/** Removes a host name; one that is not there is removed. @throws AppError UNAVAILABLE, 400 */
export async function removeHostname(deps: EdgeDeps, id: string): Promise<void> {
  const told = await call(deps, "DELETE", `/${encodeURIComponent(id)}`);
  if ("result" in told || told.status === 404) return;
  throw new AppError(null, `Cloudflare keeps the domain: ${told.messages[0] ?? told.status}`);
}
