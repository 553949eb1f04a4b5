import { createMiddleware } from "hono/factory";
import { readCallName } from "../core/idempotency-key.ts";
import { dropAnswer } from "./caller.ts";
import type { AppContext, AppEnv } from "./env.ts";

/** Whether an Idempotency-Key is unique per operation or per path. */
export type NamesOf = "operation" | "path";

/**
 * Fails when the handler did not read the call's Idempotency-Key, because the call would not be safe to repeat.
 *
 * @param path with parameters in braces
 */
export const takesName = (method: string, path: string, namesOf: NamesOf) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const operation = `${method.toUpperCase()} ${path}`;
    const key = c.req.header("idempotency-key");
    let isRead = false;
    c.set("readCall", () => {
      isRead = true;
      return readCallName(key, namesOf === "path" ? fillIn(c, operation) : operation);
    });
    await next();
    if (isRead || c.error || key === undefined) return;
    dropAnswer(c);
    throw new Error(`${operation} takes an Idempotency-Key, and did not read it.`);
  });

const fillIn = (c: AppContext, operation: string): string =>
  operation.replaceAll(/\{(\w+)\}/g, (_, name) => c.req.param(name) ?? "");

export function resultOf<R>(c: AppContext, done: { result: R; isReplayed: boolean }): R {
  if (done.isReplayed) c.header("Idempotent-Replayed", "true");
  return done.result;
}
