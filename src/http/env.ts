import type { Context } from "hono";
import type { NamedCall } from "../core/idempotency-key.ts";
import type { Scope } from "../core/scopes.ts";
import type { Ctx, Deps } from "../deps.ts";

export interface Presented {
  token: string | null;
  tokenHash: string | null;
  /** From X-Team-ID. */
  teamId: number | null;
  scope: Scope | null;
  /** Of the call; null where it is unknown. */
  country?: string | null;
  isAgent?: boolean;
}

export interface AppEnv {
  Variables: {
    requestId: string;
    deps: Deps;
    /** Set only where tokens are accepted. */
    createCaller: (deps: Deps, presented: Presented, admission: Promise<void>) => Promise<Ctx>;
    ctx: Ctx;
    /** For routes that accept an Idempotency-Key. @throws AppError 400 for an invalid key */
    readCall: () => NamedCall | null;
    limitHeaders: Promise<Record<string, string>>;
  };
}

export type AppContext = Context<AppEnv>;

export const publicOrigin = (deps: Deps, requestUrl: string): string =>
  deps.config.publicUrl ?? new URL(requestUrl).origin;
