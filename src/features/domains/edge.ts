import { AppError } from "../../core/errors.ts";
import { SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import * as repo from "./repo.ts";

const API = "https://api.cloudflare.com/client/v4";

const PATIENCE_MS = 10 * SECOND;

type EdgeDeps = Pick<Deps, "config" | "fetch" | "log">;

export interface EdgeHostname {
  id: string;
  isActive: boolean;
  txtName: string;
  txtValue: string;
  cnameTarget: string;
  /** In Cloudflare's words. */
  problems: string[];
}

type ApiResult = { result: unknown } | { status: number; codes: number[]; messages: string[] };

const unavailable = (message: string, seconds: number): AppError =>
  new AppError("UNAVAILABLE", message, { headers: { "Retry-After": String(seconds) } });

/**
 * @throws AppError UNAVAILABLE when Cloudflare does not answer, throttles calls or refuses the token
 * @see https://developers.cloudflare.com/api/resources/custom_hostnames/
 */
async function call(
  deps: EdgeDeps,
  method: string,
  path: string,
  body?: object,
): Promise<ApiResult> {
  const { edge } = deps.config;
  if (!edge) throw new Error("There is no way to the edge.");
  let response: Response;
  let answer: unknown;
  try {
    response = await deps.fetch(`${API}/zones/${edge.zoneId}/custom_hostnames${path}`, {
      method,
      headers: { Authorization: `Bearer ${edge.apiToken}`, "Content-Type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    answer = JSON.parse((await response.text()) || "null");
  } catch (error) {
    deps.log({ event: "edge.unreachable", error: String(error) });
    throw unavailable("Cloudflare does not answer at the moment. Send the call again.", 30);
  }
  const { success, result, errors } = (answer ?? {}) as Record<string, unknown>;
  // A successful DELETE has no `success` field.
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

/** @throws AppError UNAVAILABLE */
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
 * Reuses an unverified hostname: the answer to an earlier call may have been lost.
 *
 * @throws AppError UNAVAILABLE, 400 when Cloudflare refuses the name
 */
export async function createHostname(deps: EdgeDeps, hostname: string): Promise<EdgeHostname> {
  const ssl = { method: "txt", type: "dv", settings: { min_tls_version: "1.2" } };
  const answer = await call(deps, "POST", "", { hostname, ssl });
  if ("result" in answer) return readHostname(answer.result);
  if (answer.codes.includes(DUPLICATE)) {
    const existing = await call(deps, "GET", `?hostname=${encodeURIComponent(hostname)}`);
    const [first] = "result" in existing && Array.isArray(existing.result) ? existing.result : [];
    const earlier = first && readHostname(first);
    // An active hostname may be another owner's.
    if (earlier && !earlier.isActive) return earlier;
  }
  throw new AppError(
    null,
    `domain: Cloudflare does not take it. ${answer.messages[0] ?? ""}`.trim(),
  );
}

/** Makes Cloudflare check the records again. Null for an unknown hostname. */
export async function checkHostname(deps: EdgeDeps, id: string): Promise<EdgeHostname | null> {
  const answer = await call(deps, "PATCH", `/${encodeURIComponent(id)}`, {
    ssl: { method: "txt", type: "dv" },
  });
  return "result" in answer ? readHostname(answer.result) : null;
}

/**
 * Succeeds for an unknown hostname too.
 *
 * @throws AppError UNAVAILABLE; 400 for another refusal
 */
export async function removeHostname(deps: EdgeDeps, id: string): Promise<void> {
  const answer = await call(deps, "DELETE", `/${encodeURIComponent(id)}`);
  if ("result" in answer || answer.status === 404) return;
  throw new AppError(null, `Cloudflare keeps the domain: ${answer.messages[0] ?? answer.status}`);
}

/** After a failure, the next cron tick tries again. */
export async function leaveEdge(
  deps: Pick<Deps, "config" | "fetch" | "log" | "db">,
  row: Pick<repo.DomainRow, "id" | "host" | "edgeHostnameId">,
): Promise<void> {
  const { id, edgeHostnameId } = row;
  try {
    if (edgeHostnameId !== null && deps.config.edge) {
      const [[heir]] = await deps.db.run([repo.servedBy(row)]);
      if (!heir) await removeHostname(deps, edgeHostnameId);
    }
    await deps.db.run([repo.removeDomain(id)]);
  } catch (error) {
    deps.log({ event: "domain.not_removed", domainId: id, error: String(error) });
  }
}
