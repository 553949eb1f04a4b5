import { createRoute, OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import type { Handler } from "hono";
import { createMiddleware } from "hono/factory";
import type * as z from "zod";
import { clientKey } from "../core/client-ip.ts";
import { invalidFields, toFieldErrors } from "../core/errors.ts";
import type { LimitGroup } from "../core/quotas.ts";
import type { Scope } from "../core/scopes.ts";
import { sha256Hex } from "../core/signature.ts";
import type { Ctx } from "../deps.ts";
import { createCaller } from "../features/auth/caller.ts";
import { type Answers, type CallShape, headerParameters, withSharedAnswers } from "./answers.ts";
import { bodyOf } from "./body.ts";
import type { AppContext, AppEnv } from "./env.ts";
import { count } from "./rate-limits.ts";

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

export { conflict, json, NOT_FOUND } from "./answers.ts";

export const jsonBody = <T extends z.ZodType>(schema: T) => ({
  required: true,
  content: { "application/json": { schema } },
});

interface ApiRoute extends RouteConfig, Pick<CallShape, "takesIdempotencyKey"> {
  /** Needed of the token. The use-case checks it; here it is declared for the document. */
  scope: Scope;
  limit: LimitGroup;
  responses: Answers;
}

/** Adds to an operation what all have in common; what is no part of the document stays out of it. */
function toOperation<R extends Omit<ApiRoute, "limit">>(route: R) {
  const { scope, takesIdempotencyKey, ...operation } = route;
  const shape = { hasBody: route.request?.body !== undefined, takesIdempotencyKey };
  return {
    ...operation,
    description: [route.description, `Scope: \`${scope}\`.`].filter(Boolean).join("\n\n"),
    security: [{ apiKey: [] }],
    "x-required-scope": scope,
    parameters: headerParameters(shape),
    responses: withSharedAnswers(route.responses, shape),
  };
}

/**
 * One operation of the API: its place, what it needs, what it takes and answers. The document is
 * generated from it, and the caller is known to its handler as `c.var.ctx`.
 */
export function apiRoute<P extends string, R extends Omit<ApiRoute, "path"> & { path: P }>(
  route: R,
) {
  const { limit, ...operation } = route;
  const { body } = route.request ?? {};
  const takesJson = body ? [takeJson(route.scope, body.required !== true)] : [];
  const middleware = [identify(route.scope, limit), ...takesJson];
  // The handler is typed by what its route says; what all routes share adds nothing to that.
  return createRoute<P, R>({ ...toOperation(operation), middleware } as unknown as R);
}

/**
 * Takes in the body; one that is not small only from somebody who is known. An empty one is none where it
 * may be left out: many clients name a content type all the same.
 */
const takeJson = (scope: Scope, isOptional: boolean) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const { raw } = c.req;
    if (raw.body) {
      const knowCaller = () => c.var.ctx.read(scope, []);
      const body = await bodyOf(raw).readAll(MAX_JSON_BYTES, knowCaller);
      const headers = new Headers(raw.headers);
      if (isOptional && body.length === 0) headers.delete("content-type");
      c.req.raw = new Request(raw, { body, headers });
    }
    await next();
  });

/**
 * Counts the call, and answers the context of whoever made it: see `createCaller`. A token that is new
 * from its address waits for the limiter; after that, the limiter and the database are asked together.
 *
 * @throws AppError UNAUTHORIZED for what cannot be a token, RATE_LIMIT
 */
export async function countCaller(c: AppContext, limit: LimitGroup): Promise<Ctx> {
  const { token, teamId } = readPresented(c);
  const tokenHash = token && (await sha256Hex(token));
  const { mustWait, verdict } = countCall(c, tokenHash, limit);
  if (mustWait) await verdict;
  return createCaller(c.var.deps, { token, tokenHash, teamId }, verdict);
}

/** Counts somebody who needs no token. @throws AppError RATE_LIMIT, at once where that is known */
export const countVisitor = (c: AppContext, limit: LimitGroup): Promise<void> =>
  countCall(c, null, limit).verdict;

/** Leaves the limit's headers for the answer, whatever that is; `verdict` rejects with RATE_LIMIT. */
function countCall(c: AppContext, tokenHash: string | null, limit: LimitGroup) {
  const key = clientKey(c.req.header("cf-connecting-ip") ?? null);
  const { mustWait, admission } = count(c.var.deps, { key, tokenHash }, limit);
  const headers = admission.catch(() => ({}));
  const verdict = admission.then(() => {});
  // It may be awaited only after the answer to something else.
  verdict.catch(() => {});
  c.set("limitHeaders", headers);
  return { mustWait, verdict };
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
  { limit, query, form, ...route }: FormRoute,
  handler: Handler<AppEnv>,
): void => {
  const body = { required: true, content: { "multipart/form-data": { schema: form } } };
  const request = { ...(query ? { query } : {}), body };
  router.openAPIRegistry.registerPath(toOperation({ ...route, request }));
  router.on(route.method.toUpperCase(), route.path, identify(route.scope, limit), handler);
};
