import type { OpenAPIHono, RouteConfig } from "@hono/zod-openapi";
import * as z from "zod";
import { ERROR_CODES } from "../core/errors.ts";
import { MAX_KEY_CHARACTERS } from "../core/idempotency-key.ts";
import { PLATFORMS } from "../core/platforms.ts";
import { SCOPES } from "../core/scopes.ts";
import type { AppEnv } from "./env.ts";

const refused = {
  success: z.literal(false),
  error: z.string().describe("A sentence for people: what happened and what to do."),
  code: z
    .enum(ERROR_CODES)
    .optional()
    .describe("A code for programs; absent when fields were refused."),
};

export const errorSchema = z.object(refused).meta({ id: "Error" });

const violations = {
  message: z
    .string()
    .optional()
    .describe("With `violations`: the message of the first one, the same as `error`."),
  violations: z
    .array(
      z
        .object({
          platform: z.enum(PLATFORMS),
          type: z.enum(["hard_cap", "duplicate_content", "mention_spam", "unsafe_content"]),
          message: z.string(),
          used_last_24h: z.number().int().optional().describe("Only for hard_cap."),
          cap: z.number().int().optional().describe("Only for hard_cap."),
          uploadId: z
            .number()
            .int()
            .optional()
            .describe("Only for duplicate_content: the post that the account has already."),
        })
        .meta({ id: "Violation" }),
    )
    .optional(),
};

export const invalidSchema = z
  .object({
    ...refused,
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }).meta({ id: "FieldError" }))
      .optional()
      .describe("Every refused field, when the request was not valid."),
    ...violations,
  })
  .meta({ id: "InvalidRequest" });

export const forbiddenSchema = z
  .object({
    ...refused,
    requiredScope: z
      .enum(SCOPES)
      .optional()
      .describe("With INSUFFICIENT_SCOPE: the scope that the token lacks."),
  })
  .meta({ id: "Forbidden" });

export const tooManySchema = z
  .object({ ...refused, ...violations })
  .meta({ id: "TooManyRequests" });

const A_STRING = { type: "string" } as const;

const HEADERS = {
  "X-Request-Id": {
    description: "Names the call in our logs; quote it when you report a problem.",
    schema: A_STRING,
  },
  RateLimit: {
    description:
      'The rest of the quota, such as `"upload-create";r=49;t=900`: r calls in the next t seconds.',
    schema: A_STRING,
  },
  "RateLimit-Policy": {
    description: 'The quota itself, such as `"upload-create";q=50;w=900`: q calls in w seconds.',
    schema: A_STRING,
  },
  "Retry-After": {
    description: "Seconds to wait before the next call, where that is known.",
    schema: { type: "integer" as const },
  },
  "Idempotent-Replayed": {
    description: "`true` on the stored answer to an earlier call with the same Idempotency-Key.",
    schema: { ...A_STRING, enum: ["true"] },
  },
};

const PARAMETERS = {
  TeamId: {
    name: "X-Team-ID",
    in: "header",
    description: "The team to act for. Default: the token's own team.",
    schema: { type: "integer", minimum: 1, maximum: 999_999_999_999_999 },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes the call safe to repeat. For 24 hours, the same key with the same body gets the first answer again, and nothing is done twice.",
    schema: { type: "string", minLength: 1, maxLength: MAX_KEY_CHARACTERS },
  },
} as const;

export function registerSharedParts(registry: OpenAPIHono<AppEnv>["openAPIRegistry"]): void {
  for (const [name, header] of Object.entries(HEADERS)) {
    registry.registerComponent("headers", name, header);
  }
  for (const [name, parameter] of Object.entries(PARAMETERS)) {
    registry.registerComponent("parameters", name, parameter);
  }
}

const headers = (...names: (keyof typeof HEADERS)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const parameter = (name: keyof typeof PARAMETERS) => ({ $ref: `#/components/parameters/${name}` });

export const refusal = <T extends z.ZodType>(
  description: string,
  schema: T,
  ...more: (keyof typeof HEADERS)[]
) => ({
  description,
  headers: headers("X-Request-Id", ...more),
  content: { "application/json": { schema } },
});

export const NOT_FOUND = {
  404: refusal("NOT_FOUND: your team has nothing with that id.", errorSchema),
};
export const conflict = (codes: string) => ({ 409: refusal(codes, errorSchema) });

export const PLATFORM_ABSENT = {
  503: refusal("UNAVAILABLE: the platform does not answer.", errorSchema, "Retry-After"),
};

export const json = <T extends z.ZodType>(schema: T, description: string) => ({
  200: {
    description,
    headers: headers("X-Request-Id", "RateLimit", "RateLimit-Policy"),
    content: { "application/json": { schema } },
  },
});

/** The answer `{ success: true, …shape }`. */
export const success = <S extends Record<string, z.ZodType>>(shape: S, description: string) =>
  json(z.object({ success: z.literal(true), ...shape }), description);

export const jsonLines = <T extends z.ZodType>(line: T, description: string) => ({
  200: {
    description,
    headers: headers("X-Request-Id", "RateLimit", "RateLimit-Policy"),
    content: { "application/x-ndjson": { schema: line } },
  },
});

const WITH_A_BODY = {
  413: refusal("The body, or a file in it, is too large.", errorSchema),
  415: refusal("UNSUPPORTED_MEDIA_TYPE: the body is of another content type.", errorSchema),
};

const ALWAYS_POSSIBLE = {
  400: refusal(
    "The request is not valid: `errors` lists every refused field. When the content is refused (a duplicate, mentions, unsafe words), `violations` says why.",
    invalidSchema,
  ),
  401: refusal("UNAUTHORIZED: missing or invalid token.", errorSchema),
  403: refusal("INSUFFICIENT_SCOPE (with `requiredScope`) or FORBIDDEN.", forbiddenSchema),
  429: refusal(
    "RATE_LIMIT: wait as Retry-After says. Without a code: an account has reached its daily cap, which `violations` names.",
    tooManySchema,
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
  ),
  500: refusal("INTERNAL: something broke on our side; quote X-Request-Id.", errorSchema),
  503: refusal("UNAVAILABLE: a setting of this instance is missing or wrong.", errorSchema),
};

export type Answers = Record<string, Exclude<RouteConfig["responses"][string], { $ref: string }>>;

export interface CallShape {
  hasBody: boolean;
  takesIdempotencyKey?: boolean;
}

export const headerParameters = ({ takesIdempotencyKey = false }: CallShape) => [
  parameter("TeamId"),
  ...(takesIdempotencyKey ? [parameter("IdempotencyKey")] : []),
];

export function withSharedAnswers<A extends Answers>(
  own: A,
  { hasBody, takesIdempotencyKey }: CallShape,
): A {
  const all: Answers = {
    ...ALWAYS_POSSIBLE,
    ...(hasBody ? WITH_A_BODY : {}),
    ...own,
    ...(takesIdempotencyKey ? repeated(own) : {}),
  };
  return all as A;
}

export function withOpenAnswers(own: Answers): Answers {
  const { 401: _, 403: __, ...possible } = ALWAYS_POSSIBLE;
  return { ...possible, ...own };
}

const IN_PROGRESS =
  "IDEMPOTENCY_IN_PROGRESS: calls at the same moment kept this one from being carried out. Send it again with the same key.";
/** The message for a call without an Idempotency-Key. */
const BUSY = "QUEUE_BUSY: calls at the same moment were faster. Send this one again.";

function repeated(own: Answers): Answers {
  const { description: ownConflict = "" } = own[409] ?? {};
  const busy = ownConflict.includes("QUEUE_BUSY") ? "" : BUSY;
  const conflicts = [ownConflict, busy, IN_PROGRESS].filter((text) => text !== "");
  return {
    200: { ...own[200], headers: { ...own[200]?.headers, ...headers("Idempotent-Replayed") } },
    409: refusal(conflicts.join(" "), errorSchema, "Retry-After"),
    422: refusal("IDEMPOTENCY_MISMATCH: the key was used with another body.", errorSchema),
  };
}
