import { createMiddleware } from "hono/factory";
import { clientKey } from "../core/client-ip.ts";
import { invalidFields } from "../core/errors.ts";
import type { LimitGroup } from "../core/quotas.ts";
import type { Scope } from "../core/scopes.ts";
import { sha256Hex } from "../core/signature.ts";
import type { Ctx } from "../deps.ts";
import type { AppContext, AppEnv, Presented } from "./env.ts";
import { type Count, count } from "./rate-limits.ts";

/**
 * Counts the call, and returns the context of whoever made it: see `createCaller`. A token that is new
 * from its address waits for the limiter; after that, the limiter and the database are asked together.
 *
 * @throws AppError UNAUTHORIZED for what cannot be a token, RATE_LIMIT
 */
export async function countCaller(
  c: AppContext,
  scope: Scope | null,
  limit: LimitGroup,
): Promise<Ctx> {
  const { token, teamId } = readPresented(c);
  const tokenHash = token && (await sha256Hex(token));
  const { mustWait, verdict } = countCall(c, tokenHash, limit);
  if (mustWait) await verdict;
  return c.var.createCaller(c.var.deps, { token, tokenHash, teamId, scope }, verdict);
}

/** Counts somebody who needs no token. @throws AppError RATE_LIMIT, at once where that is known */
export const countVisitor = (c: AppContext, limit: LimitGroup): Promise<void> =>
  countCall(c, null, limit).verdict;

/** Counts a call of somebody who is known, whatever the address. @throws AppError RATE_LIMIT */
export const countUser = (c: AppContext, userId: number, limit: LimitGroup): Promise<void> =>
  leaveHeaders(c, count(c.var.deps, { key: `user:${userId}`, tokenHash: null }, limit)).verdict;

/** Leaves the limit's headers for the answer, whatever that is; `verdict` rejects with RATE_LIMIT. */
function countCall(c: AppContext, tokenHash: string | null, limit: LimitGroup) {
  const key = clientKey(c.req.header("cf-connecting-ip") ?? null);
  return leaveHeaders(c, count(c.var.deps, { key, tokenHash }, limit));
}

function leaveHeaders(c: AppContext, { mustWait, admission }: Count) {
  const headers = admission.catch(() => ({}));
  const verdict = admission.then(() => {});
  // It may be awaited only after the answer to something else.
  verdict.catch(() => {});
  c.set("limitHeaders", headers);
  return { mustWait, verdict };
}

const TEAM_ID = /^[1-9]\d{0,14}$/;

/**
 * Leaves the caller for the handler, and lets no answer out to a caller who is not known to hold `scope`.
 * Mostly the handler's first read has shown that; else the database is asked before the answer leaves.
 */
export function identify(scope: Scope, limit: LimitGroup) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const ctx = await countCaller(c, scope, limit);
    c.set("ctx", ctx);
    if (!TEAM_ID.test(c.req.header("x-team-id") ?? "1")) {
      await ctx.read(scope, []);
      throw invalidFields([{ field: "X-Team-ID", message: "X-Team-ID must be the id of a team." }]);
    }
    await next();
    await holdUntilKnown(c, ctx, scope);
  });
}

/** Keeps the answer back until its caller is known to hold `scope`. @throws AppError what `ctx.read` throws */
export async function holdUntilKnown(c: AppContext, ctx: Ctx, scope: Scope | null): Promise<void> {
  await ctx.read(scope, []).catch((refusal) => {
    if (refusal === c.error) return;
    dropAnswer(c);
    throw refusal;
  });
}

/** Refuses to answer where a route asked for no caller: only `identify` makes one known. */
export const requireKnownCaller = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  if (c.error || c.var.ctx?.knownActor()) return;
  dropAnswer(c);
  throw new Error(`${c.req.method} ${c.req.path} asked for no caller.`);
});

/** Removes the answer and its headers, but for those by which a browser may read the refusal. */
export function dropAnswer(c: AppContext): void {
  const headers = [...c.res.headers].filter(([name]) => name.startsWith("access-control-"));
  c.res.body?.cancel().catch(() => {});
  // The answer's headers would be copied to one that takes its place.
  c.res = undefined;
  c.res = new Response(null, { headers });
}

/** `x-api-token` is the older name of the header, `Authorization: Bearer` what agents send. */
function readPresented(c: AppContext): Pick<Presented, "token" | "teamId"> {
  const bearer = /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  const token = c.req.header("x-api-key") || c.req.header("x-api-token") || bearer || null;
  const team = c.req.header("x-team-id") ?? "";
  return { token, teamId: TEAM_ID.test(team) ? Number(team) : null };
}
