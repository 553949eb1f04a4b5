import type { Context } from "hono";
import type { NamedCall } from "../core/idempotency-key.ts";
import type { Scope } from "../core/scopes.ts";
import type { Ctx, Deps } from "../deps.ts";

/** A caller's credentials as sent, not verified yet. */
export interface Presented {
  token: string | null;
  tokenHash: string | null;
  /** X-Team-ID. */
  teamId: number | null;
  /** Needed for whatever is asked, where that is one thing; a use-case may need more. */
  scope: Scope | null;
}

/** The variables that the middleware leaves for handlers. */
export interface AppEnv {
  Variables: {
    requestId: string;
    deps: Deps;
    /** Makes the context of a caller; where the door takes tokens. */
    createCaller: (deps: Deps, presented: Presented, admission: Promise<void>) => Promise<Ctx>;
    /** On API routes: who asks, and for which team. */
    ctx: Ctx;
    /** Reads the name of the call; on routes that take an Idempotency-Key. @throws AppError 400 */
    readCall: () => NamedCall | null;
    /** Headers that the rate limiter wants on the answer, whatever it is. */
    limitHeaders: Promise<Record<string, string>>;
  };
}

export type AppContext = Context<AppEnv>;

/** The origin under which callers reach this instance. */
export const publicOrigin = (deps: Deps, requestUrl: string): string =>
  deps.config.publicUrl ?? new URL(requestUrl).origin;
