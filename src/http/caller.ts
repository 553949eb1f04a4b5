import { createMiddleware } from "hono/factory";
import { isAccessToken } from "../core/access-token.ts";
import { clientKey } from "../core/client-ip.ts";
import { invalidFields } from "../core/errors.ts";
import type { LimitGroup } from "../core/quotas.ts";
import type { Scope } from "../core/scopes.ts";
import { sha256Hex } from "../core/signature.ts";
import type { Ctx } from "../deps.ts";
import type { AppContext, AppEnv, Presented } from "./env.ts";
import { type Count, count } from "./rate-limits.ts";

function countryOf(request: Request): string | null {
  const { country = null } = (request.cf ?? {}) as { country?: string };
  return country;
}

/**
 * A token that is new for its IP address waits for the rate limiter. Otherwise limiter and database work concurrently.
 *
 * @throws AppError UNAUTHORIZED for a malformed token, RATE_LIMIT
 */
export async function countCaller(
  c: AppContext,
  scope: Scope | null,
  limit: LimitGroup,
): Promise<Ctx> {
  const { token, teamId } = readPresented(c);
  const tokenHash = token && (await sha256Hex(token));
  const grantKey = token && isAccessToken(token) ? await grantKeyOf(c, token) : null;
  const { mustWait, verdict } = grantKey
    ? { mustWait: false, verdict: countGrant(c, grantKey, limit) }
    : countCall(c, tokenHash, limit);
  if (mustWait) await verdict;
  return c.var.createCaller(
    c.var.deps,
    { token, tokenHash, teamId, scope, country: countryOf(c.req.raw) },
    verdict,
  );
}

/** Null for a token that this instance did not make. */
async function grantKeyOf(c: AppContext, token: string): Promise<string | null> {
  const { readOAuthToken } = await import("../core/oauth-token.ts");
  return (await readOAuthToken(token, c.var.deps.config.signingKey))?.grantKey ?? null;
}

/** @throws AppError RATE_LIMIT, synchronously when the rate-limit window is known to be full */
export const countVisitor = (c: Counted, limit: LimitGroup): Promise<void> =>
  countCall(c, null, limit).verdict;

/** A request of the API or of a page. */
interface Counted {
  req: AppContext["req"];
  var: Pick<AppContext["var"], "deps">;
  set(name: "limitHeaders", headers: AppContext["var"]["limitHeaders"]): void;
}

/** Counts by user instead of address. @throws AppError RATE_LIMIT */
export const countUser = (c: Counted, userId: number, limit: LimitGroup): Promise<void> =>
  leaveHeaders(c, count(c.var.deps, { key: `user:${userId}`, tokenHash: null }, limit)).verdict;

/** Counts by grant: programs call for many people from few addresses. @throws AppError RATE_LIMIT */
export const countGrant = (c: AppContext, grantKey: string, limit: LimitGroup): Promise<void> =>
  leaveHeaders(c, count(c.var.deps, { key: grantLimitKey(grantKey), tokenHash: null }, limit))
    .verdict;

const grantLimitKey = (grantKey: string): string => `grant:${grantKey}`;

function countCall(c: Counted, tokenHash: string | null, limit: LimitGroup) {
  const key = clientKey(c.req.header("cf-connecting-ip") ?? null);
  return leaveHeaders(c, count(c.var.deps, { key, tokenHash }, limit));
}

function leaveHeaders(c: Counted, { mustWait, admission }: Count) {
  const headers = admission.catch(() => ({}));
  const verdict = admission.then(() => {});
  // Prevents an unhandled rejection while `verdict` is not awaited yet.
  verdict.catch(() => {});
  c.set("limitHeaders", headers);
  return { mustWait, verdict };
}

const TEAM_ID = /^[1-9]\d{0,14}$/;

/** Sends no answer before `scope` is verified, usually by the handler's first database query. */
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

/** Drops the answer to a refused caller. @throws AppError the refusal */
export async function holdUntilKnown(c: AppContext, ctx: Ctx, scope: Scope | null): Promise<void> {
  await ctx.read(scope, []).catch((refusal) => {
    if (refusal === c.error) return;
    dropAnswer(c);
    throw refusal;
  });
}

/** Fails for a route without `identify`. */
export const requireKnownCaller = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  if (c.error || c.var.ctx?.knownActor()) return;
  dropAnswer(c);
  throw new Error(`${c.req.method} ${c.req.path} asked for no caller.`);
});

/** Keeps the CORS headers, so that browsers can read the refusal. */
export function dropAnswer(c: AppContext): void {
  const headers = [...c.res.headers].filter(([name]) => name.startsWith("access-control-"));
  c.res.body?.cancel().catch(() => {});
  // Otherwise, Hono copies the old answer's headers to the new one.
  c.res = undefined;
  c.res = new Response(null, { headers });
}

/** True for a call with a token, valid or not. */
export const presentsToken = (c: AppContext): boolean => readPresented(c).token !== null;

/** `x-api-token` is an older name of the header; agents send `Authorization: Bearer`. */
function readPresented(c: AppContext): Pick<Presented, "token" | "teamId"> {
  const bearer = /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  const token = c.req.header("x-api-key") || c.req.header("x-api-token") || bearer || null;
  const team = c.req.header("x-team-id") ?? "";
  return { token, teamId: TEAM_ID.test(team) ? Number(team) : null };
}
