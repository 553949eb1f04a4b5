import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { describeCrash } from "../core/crash.ts";
import { isBehind } from "../core/database-errors.ts";
import { AppError } from "../core/errors.ts";
import type { AppContext } from "./env.ts";

/** Source: spec, "Errors". */
export function renderError(error: unknown, c: AppContext): Response {
  const { code, message, extras, status, headers } = toRefusal(error, c);
  return c.json(
    { success: false, error: message, ...(code ? { code } : {}), ...extras },
    status as ContentfulStatusCode,
    headers,
  );
}

/** Logs an unexpected error and answers INTERNAL. */
export function toRefusal(error: unknown, c: AppContext): AppError {
  const refusal = toAppError(error);
  if (refusal) return refusal;
  c.var.deps?.log(describeCrash(error, c.var.requestId));
  if (isBehind(error)) return bringUpToDateSoon(c);
  return new AppError(
    "INTERNAL",
    `Something broke on our side. Quote request ${c.var.requestId} when you report it.`,
  );
}

/** The database is older than the script: Akimbo applies what it lacks, and the caller tries again. */
function bringUpToDateSoon({ var: { deps } }: AppContext): AppError {
  if (deps?.installation) deps.defer(bringUpToDate(deps.installation, deps.log));
  return new AppError(
    "UNAVAILABLE",
    "The database of this instance is not up to date. Akimbo brings it up to date now: try again in a few seconds. The page /claim says what is wrong if it stays so.",
    { headers: { "Retry-After": "5" } },
  );
}

async function bringUpToDate(
  installation: NonNullable<AppContext["var"]["deps"]["installation"]>,
  log: AppContext["var"]["deps"]["log"],
): Promise<void> {
  const { bringUpToDate: apply } = await import("../durable/installation.ts");
  const { failure } = await apply(installation);
  if (failure !== null) log({ event: "migrations.failed", error: failure });
}

function toAppError(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  if (!(error instanceof HTTPException)) return null;
  if (error.status === 415 || /content-type/i.test(error.message)) {
    return new AppError(
      "UNSUPPORTED_MEDIA_TYPE",
      "Send the body with Content-Type: application/json.",
    );
  }
  if (/malformed json/i.test(error.message)) {
    return new AppError("INVALID_JSON", "The request body is not valid JSON.");
  }
  return new AppError(null, error.message || "The request is not valid.", { status: error.status });
}
