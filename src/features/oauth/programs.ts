import { AppError, notFound } from "../../core/errors.ts";
import { SCOPE_WORDS } from "../../core/scope-words.ts";
import type { Scope } from "../../core/scopes.ts";
import type { Actor, Ctx, Deps } from "../../deps.ts";
import { activityLine } from "../activity/repo.ts";
import { sendMail } from "../mail/service.ts";
import type { CodeRow } from "./repo/codes.ts";
import { endGrant } from "./repo/grants.ts";
import * as repo from "./repo/programs.ts";

/**
 * Remembers the scope that a call of the program lacked. The person gets one mail until they answer on the page, however
 * many scopes the program asks for.
 *
 * @param origin the instance's own
 */
export async function askForScope(
  deps: Deps,
  { tokenId, userId, name }: Actor,
  scope: Scope,
  origin: string,
): Promise<void> {
  if (tokenId === null) return;
  const wanted = JSON.stringify([scope]);
  const [isFirst, , [to]] = await deps.db.run([
    repo.wantFirst({ id: tokenId, wanted }),
    repo.wantMore({ id: tokenId, wanted }),
    repo.addressOf({ user: userId }),
  ]);
  if (isFirst === 0 || to === undefined) return;
  await sendMail(deps, {
    to,
    subject: `${name} asks for more`,
    text: [
      `${name}, a program that you allowed, asks for this too: ${SCOPE_WORDS[scope]}.`,
      "",
      "Until you allow it, its calls that need it are refused. Decide here:",
      `${origin}/app/tokens`,
      "",
    ].join("\n"),
  });
}

/** Tells the person that a program may act for them, in case that it was not they who allowed it. */
export async function reportAllowed(deps: Deps, code: CodeRow, origin: string): Promise<void> {
  const { userId, teamId, clientName, clientHost, scopes, accounts, grantExpiresAt } = code;
  const [[to], [team = "a team"]] = await deps.db.run([
    repo.addressOf({ user: userId }),
    repo.nameOfTeam({ team: teamId }),
  ]);
  if (to === undefined) return;
  await sendMail(deps, {
    to,
    subject: `${clientName} may act for you`,
    text: [
      `${clientName} (${clientHost}) was allowed to act for you in ${team}:`,
      ...scopes.map((scope) => `- ${SCOPE_WORDS[scope]}`),
      ...(accounts ? [`- with ${accounts.length} of its accounts`] : []),
      ...(grantExpiresAt ? [`- until ${grantExpiresAt.toISOString().slice(0, 10)}`] : []),
      "",
      "If this was not you, end it here, and sign out of all sessions:",
      `${origin}/app/tokens`,
      "",
    ].join("\n"),
  });
}

/** Ends a grant whose code or token came twice, and tells the person. */
export async function endStolen(
  deps: Deps,
  grantId: number,
  now: Date,
  origin: string,
): Promise<void> {
  const [[person]] = await deps.db.run([repo.personOfGrant({ id: grantId })]);
  await endGrant(deps.db, grantId, now);
  if (!person) return;
  const { email: to, name } = person;
  const mail = {
    to,
    subject: `${name} was ended`,
    text: [
      `A one-time secret of ${name}, a program that you allowed, was used a second time. Another program may have it, so the program may not act for you any more.`,
      "",
      "If you still use the program, sign in from it again. What it did is listed here:",
      `${origin}/app/activity`,
      "",
    ].join("\n"),
  };
  deps.defer(sendMail(deps, mail));
}

/**
 * Allows what the program asked for, from its next call on.
 *
 * @param scopes what the page showed
 * @throws AppError NOT_FOUND, 409 when the program asks for something else by now, or was ended
 */
export async function extendProgram(ctx: Ctx, id: number, scopes: readonly Scope[]): Promise<void> {
  const [programs] = await ctx.read("*", [repo.programsOf({ user: ctx.user })]);
  if (!programs.some((program) => program.id === id)) throw notFound("Program");
  const wanted = JSON.stringify(scopes);
  const extension = { id, userId: ctx.actor.userId, wanted };
  const [extended] = await ctx.db.run([
    repo.extendToken(extension),
    activityLine(ctx, "program.extended", id),
    repo.forgetWanted(extension),
  ]);
  if (extended > 0) return;
  throw new AppError(
    null,
    "The program was ended, or asks for something else by now. Look at the page again.",
    { status: 409 },
  );
}
