import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { describeCrash } from "../core/crash.ts";
import { AppError } from "../core/errors.ts";
import type { AppContext } from "./env.ts";

/** Any refusal or accident as the error envelope. Source: spec, "Errors". */
export function renderError(error: unknown, c: AppContext): Response {
  const refusal = toAppError(error);
  if (refusal) {
    return c.json(
      {
        success: false,
        error: refusal.message,
        ...(refusal.code ? { code: refusal.code } : {}),
        ...refusal.extras,
      },
      refusal.status as ContentfulStatusCode,
      refusal.headers,
    );
  }
  c.var.deps?.log(describeCrash(error, c.var.requestId));
  return c.json(
    {
      success: false,
      error: `Something broke on our side. Quote request ${c.var.requestId} when you report it.`,
      code: "INTERNAL",
    },
    500,
  );
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
