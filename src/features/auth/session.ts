import { AppError } from "../../core/errors.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { Actor, Ctx, Deps, Role } from "../../deps.ts";
import { createContext } from "./context.ts";
import { sessionToken } from "./cookie.ts";
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
export const signedOut = () =>
  new AppError("UNAUTHORIZED", "You are signed out. Sign in and open the page again.");

/** The context of a person who is signed in; `person` is known once the first read has come back. */
export type PersonCtx = Ctx & { person: Person };

/** A form of a team's page. */
export interface TeamsForm {
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
