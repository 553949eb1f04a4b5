import type * as z from "zod";
import { readJson } from "../kit/input.ts";
import { Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";

/** Source: google.rpc.Code. */
const STATUSES: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

const TYPES = "type.googleapis.com/";

export const refusal = (
  code: number,
  message: string,
  details: object[] = [],
  headers?: Record<string, string>,
): Refusal =>
  new Refusal(
    code,
    {
      error: {
        code,
        message,
        status: STATUSES[code] ?? "UNKNOWN",
        ...(details.length > 0 ? { details } : {}),
      },
    },
    headers,
  );

export const errorInfo = (reason: string, metadata: Record<string, string>) => ({
  "@type": `${TYPES}google.rpc.ErrorInfo`,
  reason,
  domain: "googleapis.com",
  metadata,
});

export const PROJECT = "123456789012";

/** @param perMinute 0 for a project that Google has not approved */
export function quotaExceeded(service: string, perMinute: number, headers = {}): Refusal {
  const consumer = `projects/${PROJECT}`;
  const message = `Quota exceeded for quota metric 'Requests' and limit 'Requests per minute' of service '${service}' for consumer 'project_number:${PROJECT}'.`;
  const info = errorInfo("RATE_LIMIT_EXCEEDED", {
    service,
    consumer,
    quota_metric: `${service}/default_requests`,
    quota_limit: "DefaultRequestsPerMinutePerProject",
    quota_location: "global",
    quota_limit_value: String(perMinute),
    quota_unit: "1/min/{project}",
  });
  return refusal(429, message, [info], headers);
}

const INVALID = "Request contains an invalid argument.";

/** v4's form. Source: spotonlive/php-google-my-business, issue 26. */
export const invalidField = (field: string | null, message: string, code = 2): Refusal =>
  refusal(400, INVALID, [
    {
      "@type": `${TYPES}google.mybusiness.v4.ValidationError`,
      errorDetails: [{ code, ...(field === null ? {} : { field }), message }],
    },
  ]);

/** The form of the newer APIs, and of JSON that cannot be read. */
export const badRequest = (field: string, description: string, message = INVALID): Refusal =>
  refusal(400, message, [
    { "@type": `${TYPES}google.rpc.BadRequest`, fieldViolations: [{ field, description }] },
  ]);

export const notFound = () => refusal(404, "Requested entity was not found.");

/** Google answers paths that do not exist with a page. */
export function noSuchPath(path: string): Response {
  const body = `<!DOCTYPE html><html lang=en><title>Error 404 (Not Found)!!1</title><p>The requested URL <code>${path.replace(/[<>&]/g, "")}</code> was not found on this server.`;
  return new Response(body, { status: 404, headers: { "content-type": "text/html" } });
}

const notJson = () => refusal(400, "Invalid JSON payload received.");

const toSnake = (name: string): string => name.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);

export const readInput = <T extends z.ZodType>(call: Call, shape: T): Promise<z.output<T>> =>
  readJson(call, shape, {
    maxBytes: 100_000,
    wrongType: notJson,
    notJson,
    invalid: (issue) => {
      const at = ["local_post", ...issue.path.map((part) => toSnake(String(part)))].join(".");
      const words =
        issue.code === "unrecognized_keys"
          ? `Unknown name "${issue.keys[0]}" at '${at}': Cannot find field.`
          : `Invalid value at '${at}'`;
      return badRequest(at, words, `Invalid JSON payload received. ${words}`);
    },
  });

/** @throws Refusal for another size or a foreign token */
export function pageOf<T>(
  { req }: Call,
  all: readonly T[],
  { usual, max }: { usual: number; max: number },
): { page: T[]; next: { nextPageToken?: string } } {
  const size = Number(req.query("pageSize") ?? usual);
  if (!Number.isInteger(size) || size < 1 || size > max) {
    throw badRequest("page_size", `Page size must be between 1 and ${max}.`);
  }
  const token = req.query("pageToken");
  const from = token === undefined ? 0 : Number(/^AbK(\d{1,6})$/.exec(token)?.[1]);
  if (Number.isNaN(from)) throw badRequest("page_token", "Invalid page token.");
  const end = from + size;
  return {
    page: all.slice(from, end),
    next: end < all.length ? { nextPageToken: `AbK${end}` } : {},
  };
}
