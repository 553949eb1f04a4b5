import type { Context } from "hono";
import { setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import { AppError } from "../../core/errors.ts";
import type { LimitGroup } from "../../core/quotas.ts";
import { sha256Hex } from "../../core/signature.ts";
import { DAY, SECOND } from "../../core/time.ts";
import type { Actor, Ctx, Deps, Role } from "../../deps.ts";
import { countVisitor, holdUntilKnown } from "../../http/caller.ts";
import { type AppContext, type AppEnv, publicOrigin } from "../../http/env.ts";
import type { Viewer } from "../../pages/app-layout.tsx";
import { FORM_TEAM } from "../../pages/team-form.tsx";
import { createContext } from "./context.ts";
import { COOKIE_PREFIX, cookieValue, sessionToken } from "./cookie.ts";
import { type SessionRecord, sessionQuery, teamOfSession, userOfSession } from "./repo/sessions.ts";

export interface OwnTeam {
  id: number;
  name: string;
  role: Role;
  needsApproval: boolean;
}

export interface Person {
  sessionId: number;
  userId: number;
  email: string;
  name: string | null;
  signedInAt: Date;
  /** Oldest first. */
  teams: OwnTeam[];
}

const signedOut = () =>
  new AppError("UNAUTHORIZED", "You are signed out. Sign in and open the page again.");

/** `person` is available after the first `read`. */
export type PersonCtx = Ctx & { person: Person };

interface TeamsForm {
  /** In the form's address; null without one. */
  teamId: number | null;
}

interface PagePresented {
  cookies: string | null;
  origin: string;
  teamId: number | null;
  /** Null for GET, and for forms that concern no team. */
  form: TeamsForm | null;
}

function formRefusal({ teamId }: TeamsForm, shown: OwnTeam, teams: OwnTeam[]): AppError | null {
  if (teamId === shown.id) return null;
  if (teamId === null) {
    return new AppError(
      null,
      "This form does not say which team it is for, and nothing was changed. Open its page again and send it once more.",
    );
  }
  const own = teams.find(({ id }) => id === teamId);
  if (!own) {
    return new AppError(
      "FORBIDDEN",
      "You do not belong to the team of that page any more, and nothing was changed. You see your own team from now on.",
    );
  }
  return new AppError(
    null,
    `This form is for the team ${own.name}, but you have gone on to ${shown.name}, and nothing was changed. Choose ${own.name} on the page Team, then open the form's page again.`,
    { status: 409 },
  );
}

/** @throws AppError UNAUTHORIZED, before any query, without a signed cookie */
export async function createPersonCtx(
  deps: Deps,
  { cookies, origin, teamId, form }: PagePresented,
  admission: Promise<void>,
): Promise<PersonCtx> {
  const token = await sessionToken(cookies, origin, deps.config.signingKey);
  if (token === null) {
    await admission;
    throw signedOut();
  }
  const lookup = { hash: await sha256Hex(token), requestedTeamId: teamId, now: deps.now() };
  let person: Person | null = null;
  const resolve = (record: SessionRecord | null): Actor => {
    const team = record?.teams.find(({ id }) => id === record.teamId);
    if (!record || !team) throw signedOut();
    const refusal = form && formRefusal(form, team, record.teams);
    if (refusal) throw refusal;
    const { teamId: _, ...rest } = record;
    person = rest;
    return {
      tokenId: null,
      userId: record.userId,
      name: record.email,
      isAgent: false,
      teamId: team.id,
      isPinned: false,
      role: team.role,
      scopes: ["*"],
      needsApproval: team.needsApproval,
      isProgram: false,
      accounts: null,
    };
  };
  const claim = {
    query: sessionQuery(lookup),
    team: teamOfSession(lookup),
    user: userOfSession(lookup),
    resolve,
  };
  const ctx = createContext(deps, claim, "*", admission);
  return Object.defineProperty(ctx, "person", {
    get: () => {
      if (!person) throw new Error("The person is not known before the first read.");
      return person;
    },
  }) as PersonCtx;
}

export interface PageEnv {
  Variables: Omit<AppEnv["Variables"], "ctx"> & { ctx: PersonCtx };
}

export const TEAM_COOKIE = `${COOKIE_PREFIX}.team`;

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

const chosenTeam = (c: AppContext): number | null =>
  readTeamId(cookieValue(c.req.header("cookie") ?? null, TEAM_COOKIE));

/** @throws AppError UNAUTHORIZED without a signed cookie; RATE_LIMIT */
export function countPerson(
  c: AppContext,
  limit: LimitGroup,
  form: TeamsForm | null = null,
): Promise<PersonCtx> {
  const presented = {
    cookies: c.req.header("cookie") ?? null,
    origin: publicOrigin(c.var.deps, c.req.url),
    teamId: chosenTeam(c),
    form,
  };
  return createPersonCtx(c.var.deps, presented, countVisitor(c, limit));
}

/**
 * Reads the session with the page's first batch, at the latest before the page is sent. Authenticates a form before
 * reading its body, and refuses it unless its address names the current team.
 *
 * @param isPersonal the forms change personal data or choose a team
 */
export const signedIn = (limit: LimitGroup, { isPersonal = false } = {}) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const isForm = c.req.method !== "GET" && c.req.method !== "HEAD";
    const form = isForm && !isPersonal ? { teamId: readTeamId(c.req.query(FORM_TEAM)) } : null;
    const ctx = await countPerson(c, limit, form);
    c.set("ctx", ctx);
    const chosen = chosenTeam(c);
    if (isForm) await ctx.read("*", []);
    await next();
    await holdUntilKnown(c, ctx, "*");
    const shown = ctx.knownActor()?.teamId ?? null;
    if (chosen !== null && shown !== null && shown !== chosen) rememberTeam(c, shown);
  });

/** Works only after the page's first read. */
export function viewerOf(c: Context<PageEnv>): Viewer {
  const { person, actor } = c.var.ctx;
  const team = person.teams.find(({ id }) => id === actor.teamId) ?? { id: actor.teamId, name: "" };
  return { email: person.email, team, teams: person.teams };
}
