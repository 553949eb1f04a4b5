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

/** A team that a person belongs to. */
export interface OwnTeam {
  id: number;
  name: string;
  role: Role;
  /** The person's posts in it wait for approval: see `Actor`. */
  needsApproval: boolean;
}

/** A person who is signed in. */
export interface Person {
  sessionId: number;
  userId: number;
  email: string;
  name: string | null;
  signedInAt: Date;
  /** All that they belong to, in the order in which they were made. */
  teams: OwnTeam[];
}

/** Thrown for a request that nobody is signed in for: a page leads to the sign-in. */
const signedOut = () =>
  new AppError("UNAUTHORIZED", "You are signed out. Sign in and open the page again.");

/** The context of a person who is signed in; `person` is known once the first read has come back. */
export type PersonCtx = Ctx & { person: Person };

/** A form of a team's page. */
interface TeamsForm {
  /** The team of the page, as the form's address names it; null where it names none. */
  teamId: number | null;
}

/** Everything that a page's request presents of its person. */
interface PagePresented {
  cookies: string | null;
  origin: string;
  /** The team that the person wants to see; another is shown where they do not belong to it. */
  teamId: number | null;
  /** Null for a page that is read, and for a form that is of no team. */
  form: TeamsForm | null;
}

/**
 * Returns the reason why a form is refused in the name of a team; null for the team of its page. A person
 * may have gone on to another of their teams, or out of the team, since the page was shown.
 */
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

/**
 * Creates the context of the person whose cookie came with a page's request. Their session is the first
 * statement of the page's batch. They may do all that their role allows.
 *
 * @throws AppError UNAUTHORIZED at once where no cookie carries our signature
 */
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
  const wanted = { hash: await sha256Hex(token), requestedTeamId: teamId, now: deps.now() };
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
      teamId: team.id,
      isPinned: false,
      role: team.role,
      scopes: ["*"],
      needsApproval: team.needsApproval,
    };
  };
  const claim = {
    query: sessionQuery(wanted),
    team: teamOfSession(wanted),
    user: userOfSession(wanted),
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
