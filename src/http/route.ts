import { createRoute, OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import type { Handler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import * as z from "zod";
import { clientKey } from "../core/client-ip.ts";
import { invalidFields, toFieldErrors, tooLarge } from "../core/errors.ts";
import type { LimitGroup } from "../core/quotas.ts";
import type { Scope } from "../core/scopes.ts";
import { sha256Hex } from "../core/signature.ts";
import type { Ctx } from "../deps.ts";
import { createCaller } from "../features/auth/caller.ts";
import type { AppContext, AppEnv } from "./env.ts";
import { admit, refuseFullWindow, refuseKnownGuesser } from "./rate-limits.ts";

/** Spec is silent: JSON bodies are small everywhere; 1 MB leaves room for the longest texts. */
const MAX_JSON_BYTES = 1_000_000;

/** A router of one feature. What a schema refuses leaves as the envelope. */
export function createRouter() {
  return new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (!result.success) throw invalidFields(toFieldErrors(result.error));
    },
  });
}

const errorSchema = z
  .object({
    success: z.literal(false),
    error: z.string(),
    code: z.string().optional(),
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .describe("Every refused field, where the request was not valid."),
  })
  .meta({ id: "Error" });

const refusal = (description: string) => ({
  description,
  content: { "application/json": { schema: errorSchema } },
});

const WITH_A_BODY = {
  413: refusal("The body, or a file in it, is too large."),
  415: refusal("UNSUPPORTED_MEDIA_TYPE: the body is of another content type."),
};

const ALWAYS_POSSIBLE = {
  400: refusal("The request is not valid; `errors` lists every refused field."),
  401: refusal("UNAUTHORIZED: missing or invalid token."),
  403: refusal("INSUFFICIENT_SCOPE (with `requiredScope`) or FORBIDDEN."),
  429: refusal("RATE_LIMIT: see the RateLimit and Retry-After headers."),
  500: refusal("INTERNAL: something broke on our side; quote X-Request-Id."),
};

export const NOT_FOUND = { 404: refusal("NOT_FOUND: nothing of yours has that id.") };
export const conflict = (codes: string) => ({ 409: refusal(codes) });

export const json = <T extends z.ZodType>(schema: T, description: string) => ({
  200: { description, content: { "application/json": { schema } } },
});

export const jsonBody = <T extends z.ZodType>(schema: T) => ({
  required: true,
  content: { "application/json": { schema } },
});

interface ApiRoute extends RouteConfig {
  /** Needed of the token. The use-case checks it; here it is declared for the document. */
  scope: Scope;
  limit: LimitGroup;
}

/**
 * One operation of the API: its place, what it needs, what it takes and answers. The document is
 * generated from it, and the caller is known to its handler as `c.var.ctx`.
 */
export function apiRoute<P extends string, R extends Omit<ApiRoute, "path"> & { path: P }>(
  route: R,
) {
  const { scope, limit } = route;
  const limitsJson = route.request?.body ? [jsonLimit] : [];
  return createRoute<P, R>({
    ...route,
    description: [route.description, `Scope: \`${scope}\`.`].filter(Boolean).join("\n\n"),
    security: [{ apiKey: [] }],
    "x-required-scope": scope,
    responses: {
      ...ALWAYS_POSSIBLE,
      ...(route.request?.body ? WITH_A_BODY : {}),
      ...route.responses,
    },
    middleware: [identify(scope, limit), ...limitsJson],
  });
}

const jsonLimit = bodyLimit({
  maxSize: MAX_JSON_BYTES,
  onError: () => {
    throw tooLarge("The request body is larger than 1 MB.");
  },
});

/**
 * Counts the call, and answers the context of whoever made it: see `createCaller`.
 *
 * @throws AppError UNAUTHORIZED for what cannot be a token, RATE_LIMIT
 */
export async function countCaller(c: AppContext, limit: LimitGroup): Promise<Ctx> {
  const { token, teamId } = readPresented(c);
  const tokenHash = token && (await sha256Hex(token));
  const verdict = count(c, tokenHash, limit);
  verdict.catch(() => {});
  return createCaller(c.var.deps, { token, tokenHash, teamId }, verdict);
}

/** Counts somebody who needs no token. @throws AppError RATE_LIMIT */
export const countVisitor = (c: AppContext, limit: LimitGroup): Promise<void> =>
  count(c, null, limit);

/** Refuses at once whom it knows to guess; the rest it tells when the limiter has answered. */
function count(c: AppContext, tokenHash: string | null, limit: LimitGroup): Promise<void> {
  const { deps } = c.var;
  const key = clientKey(c.req.header("cf-connecting-ip") ?? null);
  refuseKnownGuesser(deps, { key, tokenHash });
  const admission = admit(deps, { key, tokenHash }, limit);
  c.set(
    "limitHeaders",
    admission.then(
      (admitted) => admitted?.headers ?? {},
      () => ({}),
    ),
  );
  return admission.then(refuseFullWindow);
}

/** Leaves the caller for the handler, and sees to it that a caller is judged before the request is. */
export function identify(scope: Scope, limit: LimitGroup) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const ctx = await countCaller(c, limit);
    c.set("ctx", ctx);
    if (!TEAM_ID.test(c.req.header("x-team-id") ?? "1")) {
      await ctx.read(scope, []);
      throw invalidFields([{ field: "X-Team-ID", message: "X-Team-ID must be the id of a team." }]);
    }
    await next();
    // A request refused for what it says is refused for who says it first; mostly that is known by now.
    if (!c.error) return;
    await ctx.read(scope, []).catch((refusal) => {
      if (refusal !== c.error) throw refusal;
    });
  });
}

const TEAM_ID = /^[1-9]\d{0,14}$/;

/** `x-api-token` is the older name of the header, `Authorization: Bearer` what agents send. */
function readPresented(c: AppContext): { token: string | null; teamId: number | null } {
  const bearer = /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  const token = c.req.header("x-api-key") || c.req.header("x-api-token") || bearer || null;
  const team = c.req.header("x-team-id") ?? "";
  return { token, teamId: TEAM_ID.test(team) ? Number(team) : null };
}

interface FormRoute extends Omit<ApiRoute, "request"> {
  query?: z.ZodObject;
  /** Every field of the body; only described here. */
  form: z.ZodType;
}

/**
 * An operation with a multipart body. The document describes the body like any other, but no validator
 * stands before the handler: one would hold whole files in memory. The handler reads the stream.
 */
export function formRoute(route: FormRoute): FormRoute {
  return route;
}

formRoute.mount = (
  router: OpenAPIHono<AppEnv>,
  { scope, limit, query, form, ...route }: FormRoute,
  handler: Handler<AppEnv>,
): void => {
  router.openAPIRegistry.registerPath({
    ...route,
    description: [route.description, `Scope: \`${scope}\`.`].filter(Boolean).join("\n\n"),
    security: [{ apiKey: [] }],
    "x-required-scope": scope,
    request: {
      ...(query ? { query } : {}),
      body: { required: true, content: { "multipart/form-data": { schema: form } } },
    },
    responses: {
      ...ALWAYS_POSSIBLE,
      ...WITH_A_BODY,
      ...route.responses,
    },
  });
  router.on(route.method.toUpperCase(), route.path, identify(scope, limit), handler);
};
