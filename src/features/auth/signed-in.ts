import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { LimitGroup } from "../../core/quotas.ts";
import { countVisitor, holdUntilKnown } from "../../http/caller.ts";
import { type AppContext, type AppEnv, publicOrigin } from "../../http/env.ts";
import type { Viewer } from "../../pages/app-layout.tsx";
import { COOKIE_PREFIX, cookieValue } from "./cookie.ts";
import { createPersonCtx, type PersonCtx } from "./session.ts";

/** The variables of pages behind the sign-in: those of API routes, but the caller is a person. */
export interface PageEnv {
  Variables: Omit<AppEnv["Variables"], "ctx"> & { ctx: PersonCtx };
}

/** Names the team that a person wants to see. */
export const TEAM_COOKIE = `${COOKIE_PREFIX}.team`;

const TEAM_ID = /^[1-9]\d{0,14}$/;

/**
 * Counts the request, and returns the context of the person whose cookie came with it.
 *
 * @throws AppError UNAUTHORIZED where no cookie carries our signature, RATE_LIMIT
 */
export function countPerson(c: AppContext, limit: LimitGroup): Promise<PersonCtx> {
  const cookies = c.req.header("cookie") ?? null;
  const team = cookieValue(cookies, TEAM_COOKIE) ?? "";
  const presented = {
    cookies,
    origin: publicOrigin(c.var.deps, c.req.url),
    teamId: TEAM_ID.test(team) ? Number(team) : null,
  };
  return createPersonCtx(c.var.deps, presented, countVisitor(c, limit));
}

/**
 * Leaves the person who is signed in for the page, and lets no page out to anybody else. Their session is
 * read with the page's first batch; a page that reads nothing is authenticated before it leaves.
 */
export const signedIn = (limit: LimitGroup) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const ctx = await countPerson(c, limit);
    c.set("ctx", ctx);
    await next();
    await holdUntilKnown(c, ctx, "*");
  });

/** The person and their teams, as the navigation shows them. To be asked for after the first read. */
export function viewerOf(c: Context<PageEnv>): Viewer {
  const { person, actor } = c.var.ctx;
  const team = person.teams.find(({ id }) => id === actor.teamId) ?? { id: actor.teamId, name: "" };
  return { email: person.email, team, teams: person.teams };
}
