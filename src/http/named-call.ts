import { createMiddleware } from "hono/factory";
import { readCallName } from "../core/idempotency-key.ts";
import { dropAnswer } from "./caller.ts";
import type { AppContext, AppEnv } from "./env.ts";

/** Calls that share the names given by Idempotency-Key: those of an operation, or those of each path. */
export type NamesOf = "operation" | "path";

/**
 * Leaves `c.var.readCall`, by which the handler of an operation learns the name of the call, and lets no
 * answer to a named call out where the handler did not ask: it would not be safe to repeat.
 *
 * @param path with its parameters in braces
 */
export const takesName = (method: string, path: string, namesOf: NamesOf) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const operation = `${method.toUpperCase()} ${path}`;
    const given = c.req.header("idempotency-key");
    let isRead = false;
    c.set("readCall", () => {
      isRead = true;
      return readCallName(given, namesOf === "path" ? fillIn(c, operation) : operation);
    });
    await next();
    if (isRead || c.error || given === undefined) return;
    dropAnswer(c);
    throw new Error(`${operation} takes an Idempotency-Key, and did not read it.`);
  });

const fillIn = (c: AppContext, operation: string): string =>
  operation.replaceAll(/\{(\w+)\}/g, (_, name) => c.req.param(name) ?? "");

/** Returns the result of a call, and tells in a header whether it is that of an earlier one. */
export function resultOf<R>(c: AppContext, done: { result: R; isReplayed: boolean }): R {
  if (done.isReplayed) c.header("Idempotent-Replayed", "true");
  return done.result;
}
