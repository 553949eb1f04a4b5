import type { Context } from "hono";
import { setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import type { LimitGroup } from "../../core/quotas.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { countVisitor, holdUntilKnown } from "../../http/caller.ts";
import { type AppContext, type AppEnv, publicOrigin } from "../../http/env.ts";
import type { Viewer } from "../../pages/app-layout.tsx";
import { FORM_TEAM } from "../../pages/team-form.tsx";
import { COOKIE_PREFIX, cookieValue } from "./cookie.ts";
import { createPersonCtx, type PersonCtx, type TeamsForm } from "./session.ts";

/** The variables of pages behind the sign-in: those of API routes, but the caller is a person. */
export interface PageEnv {
  Variables: Omit<AppEnv["Variables"], "ctx"> & { ctx: PersonCtx };
}

/** Names the team that a person wants to see. */
export const TEAM_COOKIE = `${COOKIE_PREFIX}.team`;

/** Shows this team from the next page on. */
export function rememberTeam(c: AppContext | Context<PageEnv>, teamId: number): void {
  setCookie(c, TEAM_COOKIE, String(teamId), {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    secure: publicOrigin(c.var.deps, c.req.url).startsWith("https:"),
    maxAge: (365 * DAY) / SECOND,
  });
}

const TEAM_ID = /^[1-9]\d{0,14}$/;

const readTeamId = (text: string | null | undefined): number | null =>
  text && TEAM_ID.test(text) ? Number(text) : null;

const wantedTeam = (c: AppContext): number | null =>
  readTeamId(cookieValue(c.req.header("cookie") ?? null, TEAM_COOKIE));

/**
 * Counts the request, and returns the context of the person whose cookie came with it.
 *
 * @throws AppError UNAUTHORIZED where no cookie carries our signature, RATE_LIMIT
 */
export function countPerson(
  c: AppContext,
  limit: LimitGroup,
  form: TeamsForm | null = null,
): Promise<PersonCtx> {
  const presented = {
    cookies: c.req.header("cookie") ?? null,
    origin: publicOrigin(c.var.deps, c.req.url),
    teamId: wantedTeam(c),
    form,
  };
  return createPersonCtx(c.var.deps, presented, countVisitor(c, limit));
}

/**
 * Leaves the person who is signed in for the page, and lets no page out to anybody else. Their session is
 * read with the page's first batch; a page that reads nothing is authenticated before it leaves.
 *
 * A form is authenticated before its body is read, and refused unless its address names the team that the
 * person acts for.
 *
 * @param isPersonal the forms change what is the person's own in every team, or choose a team: they name none
 */
export const signedIn = (limit: LimitGroup, { isPersonal = false } = {}) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const isForm = c.req.method !== "GET" && c.req.method !== "HEAD";
    const form = isForm && !isPersonal ? { teamId: readTeamId(c.req.query(FORM_TEAM)) } : null;
    const ctx = await countPerson(c, limit, form);
    c.set("ctx", ctx);
    const wanted = wantedTeam(c);
    if (isForm) await ctx.read("*", []);
    await next();
    await holdUntilKnown(c, ctx, "*");
    const shown = ctx.knownActor()?.teamId ?? null;
    if (wanted !== null && shown !== null && shown !== wanted) rememberTeam(c, shown);
  });

/** The person and their teams, as the navigation shows them. To be asked for after the first read. */
export function viewerOf(c: Context<PageEnv>): Viewer {
  const { person, actor } = c.var.ctx;
  const team = person.teams.find(({ id }) => id === actor.teamId) ?? { id: actor.teamId, name: "" };
  return { email: person.email, team, teams: person.teams };
}
