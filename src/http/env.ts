import type { Context } from "hono";
import type { Ctx, Deps } from "../deps.ts";

/** What the middleware leaves for handlers. */
export interface AppEnv {
  Variables: {
    requestId: string;
    deps: Deps;
    /** On API routes: who asks, and for which team. */
    ctx: Ctx;
    /** Headers that the rate limiter wants on the answer, whatever it is. */
    limitHeaders: Promise<Record<string, string>>;
  };
}

export type AppContext = Context<AppEnv>;

/** The origin under which callers reach this instance. */
export const publicOrigin = (deps: Deps, requestUrl: string): string =>
  deps.config.publicUrl ?? new URL(requestUrl).origin;
