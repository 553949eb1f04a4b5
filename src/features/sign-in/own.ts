import { AppError, notFound } from "../../core/errors.ts";
import { isBrokenText, isLongerThan } from "../../core/text.ts";
import type { Query } from "../../db/client.ts";
import type { PersonCtx } from "../auth/signed-in.ts";
import { lookUpTargets, toChats } from "../notices/service.ts";
import {
  passkeysOf,
  personById,
  programsOf,
  removePasskey,
  renamePasskey,
  renamePerson,
  tokensOf,
} from "./repo/own.ts";
import { endOtherSessions, endSession, sessionsOf } from "./repo/sessions.ts";

const MAX_NAME = 100;

/** @throws AppError 400 for a name that is too long or malformed */
export function requireName(name: string): string {
  if (!isLongerThan(name, MAX_NAME) && !isBrokenText(name)) return name;
  throw new AppError(null, `A name has at most ${MAX_NAME} characters. Choose a shorter one.`);
}

export async function listSignIns(ctx: PersonCtx) {
  const [passkeys, sessions] = await ctx.read("*", [
    passkeysOf({ user: ctx.user }),
    sessionsOf({ user: ctx.user, now: ctx.now() }),
  ]);
  return { passkeys, sessions };
}

/** @throws AppError NOT_FOUND */
export async function endOwnSession(ctx: PersonCtx, id: number): Promise<void> {
  await change(ctx, endSession({ user: ctx.user, id }), "Session");
}

export async function endOwnOtherSessions(ctx: PersonCtx): Promise<void> {
  await ctx.read("*", []);
  const { userId, sessionId } = ctx.person;
  await ctx.db.run([endOtherSessions({ user: userId, id: sessionId })]);
}

/** @throws AppError NOT_FOUND; 400 for an invalid name */
export async function renameOwnPasskey(ctx: PersonCtx, id: number, name: string): Promise<void> {
  const kept = requireName(name);
  await change(ctx, renamePasskey({ user: ctx.user, id, name: kept }), "Passkey");
}

/** @throws AppError NOT_FOUND */
export async function removeOwnPasskey(ctx: PersonCtx, id: number): Promise<void> {
  await change(ctx, removePasskey({ user: ctx.user, id }), "Passkey");
}

/** @throws AppError 400 for an invalid name */
export async function renameSelf(ctx: PersonCtx, name: string): Promise<void> {
  await change(ctx, renamePerson({ user: ctx.user, name: requireName(name) || null }), "Person");
}

async function change(ctx: PersonCtx, query: Query<number>, subject: string): Promise<void> {
  await ctx.read("*", []);
  const [changed] = await ctx.db.run([query]);
  if (changed === 0) throw notFound(subject);
}

/** Posts and accounts belong to teams and are left out. */
export async function exportSelf(ctx: PersonCtx) {
  const { user } = ctx;
  const [[person], passkeys, sessions, tokens, programs, chats, browsers] = await ctx.read("*", [
    personById({ user }),
    passkeysOf({ user }),
    sessionsOf({ user, now: ctx.now() }),
    tokensOf({ user }),
    programsOf({ user }),
    ...lookUpTargets(ctx),
  ]);
  return {
    person,
    teams: ctx.person.teams.map(({ id, name, role }) => ({ id, name, role })),
    sessions: sessions.map(({ tokenHash: _, userId: __, ...session }) => session),
    passkeys,
    tokens,
    programs,
    chat: toChats(chats).own,
    browsers: browsers.map(({ label, createdAt }) => ({ name: label, createdAt })),
  };
}
