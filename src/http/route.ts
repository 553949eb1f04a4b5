import { createRoute, OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import * as z from "zod";
import { AppError, invalidFields, toFieldErrors } from "../core/errors.ts";
import type { LimitGroup } from "../core/quotas.ts";
import type { Scope } from "../core/scopes.ts";
import { decodeUtf8 } from "../core/text.ts";
import {
  type Answers,
  type CallShape,
  headerParameters,
  withOpenAnswers,
  withSharedAnswers,
} from "./answers.ts";
import { bodyOf } from "./body.ts";
import { countVisitor, identify } from "./caller.ts";
import { answerCsv, type CsvList, inCsv, listOf } from "./csv.ts";
import type { AppEnv } from "./env.ts";
import { type NamesOf, takesName } from "./named-call.ts";

/** Spec is silent; 1 MB is enough for the longest texts. */
const MAX_JSON_BYTES = 1_000_000;

export function createRouter() {
  return new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (!result.success) throw invalidFields(toFieldErrors(result.error));
    },
  });
}

export { conflict, errorSchema, json, jsonLines, NOT_FOUND, refusal, success } from "./answers.ts";

export const jsonBody = <T extends z.ZodType>(schema: T) => ({
  required: true,
  content: { "application/json": { schema } },
});

interface ApiRoute extends RouteConfig {
  scope: Scope;
  limit: LimitGroup;
  /** If set, the handler calls `c.var.readCall` and renders `resultOf`. */
  idempotencyKeysOf?: NamesOf;
  /** If left out, the list at the top of the answer, where a read has one. */
  csv?: CsvList;
  responses: Answers;
}

type Route<P extends string, R> = Omit<R, "path"> & { path: P };

function listIn({ method, responses }: Pick<ApiRoute, "method" | "responses">) {
  const answer = responses[200]?.content?.["application/json"];
  if (method !== "get" || !answer || !("schema" in answer)) return undefined;
  return answer.schema instanceof z.ZodType ? listOf(answer.schema) : undefined;
}

/** Programs by OAuth never have the scope of everything. */
const securityOf = (scope: Scope) =>
  scope === "*" ? [{ apiKey: [] }] : [{ apiKey: [] }, { oauth: [scope] }];

function toRoute<P extends string, R extends RouteConfig>(
  { scope, limit, idempotencyKeysOf, csv: ownCsv, ...operation }: ApiRoute,
  bodyReader: ReturnType<typeof takeJson>[] = [],
) {
  const shape: CallShape = {
    hasBody: operation.request?.body !== undefined,
    takesIdempotencyKey: idempotencyKeysOf !== undefined,
  };
  const { method, path } = operation;
  const csv = ownCsv ?? listIn(operation);
  const naming = idempotencyKeysOf ? [takesName(method, path, idempotencyKeysOf)] : [];
  const route = {
    ...operation,
    description: [operation.description, ...(csv ? [inCsv] : []), `Scope: \`${scope}\`.`]
      .filter(Boolean)
      .join("\n\n"),
    security: securityOf(scope),
    "x-required-scope": scope,
    parameters: headerParameters(shape),
    responses: withSharedAnswers(operation.responses, shape),
    middleware: [
      identify(scope, limit),
      ...naming,
      ...bodyReader,
      ...(csv ? [answerCsv(csv)] : []),
    ],
  };
  // The shared parts add nothing to the handler's types.
  return createRoute<P, R & { path: P }>(route as unknown as R & { path: P });
}

export function apiRoute<P extends string, R extends Route<P, ApiRoute>>(route: R) {
  const { body } = route.request ?? {};
  return toRoute<P, R>(route, body ? [takeJson(route.scope, body.required !== true)] : []);
}

/**
 * A large body waits for authentication. An empty optional body counts as absent, because many
 * clients send a content type anyway.
 */
const takeJson = (scope: Scope, isOptional: boolean) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const { raw } = c.req;
    if (raw.body) {
      const knowCaller = () => c.var.ctx.read(scope, []);
      const body = await bodyOf(raw).readAll(MAX_JSON_BYTES, knowCaller);
      if (decodeUtf8(body) === null) throw new AppError(null, "The body is not UTF-8. Send UTF-8.");
      const headers = new Headers(raw.headers);
      if (isOptional && body.length === 0) headers.delete("content-type");
      c.req.raw = new Request(raw, { body, headers });
    }
    await next();
  });

type OpenRoute = Omit<ApiRoute, "scope" | "idempotencyKeysOf">;

/** For routes without authentication. Their router is mounted before the authentication. */
export function openRoute<P extends string, R extends Route<P, OpenRoute>>({
  limit,
  ...operation
}: R) {
  const count = createMiddleware<AppEnv>(async (c, next) => {
    await countVisitor(c, limit);
    await next();
  });
  const responses = withOpenAnswers(operation.responses);
  const route = { ...operation, security: [], responses, middleware: [count] };
  return createRoute<P, R & { path: P }>(route as unknown as R & { path: P });
}

interface FormRoute extends ApiRoute {
  request?: { query?: z.ZodObject; params?: z.ZodObject };
  /** Only the OpenAPI document calls this function. */
  form(): z.ZodType;
}

/** The handler reads the stream itself, without a validator. */
export function formRoute<P extends string, R extends Route<P, FormRoute>>(route: R) {
  const { form, request, ...rest } = route;
  const content = { "multipart/form-data": { schema: withoutValidator(z.lazy(form)) } };
  return toRoute<P, R>({ ...rest, request: { ...request, body: { required: true, content } } });
}

interface OwnBodyRoute extends ApiRoute {
  body: z.ZodType;
}

/** The handler reads the JSON body itself and answers with its own refusals. */
export function ownBodyRoute<P extends string, R extends Route<P, OwnBodyRoute>>(route: R) {
  const { body, ...rest } = route;
  const content = { "application/json": { schema: withoutValidator(body) } };
  return toRoute<P, R>({ ...rest, request: { body: { required: true, content } } });
}

interface FileRoute extends ApiRoute {
  types: readonly string[];
}

export function fileRoute<P extends string, R extends Route<P, FileRoute>>(route: R) {
  const { types, ...rest } = route;
  const schema = z.any().openapi({ type: "string", format: "binary" });
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  return toRoute<P, R>({ ...rest, request: { body: { required: true, content } } });
}

/** With a validator, the router would hold whole files in memory. */
const withoutValidator = <T extends z.ZodType>(schema: T): T =>
  Object.assign(schema, { parse: undefined });
