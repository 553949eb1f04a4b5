import { AppError, notFound } from "../../core/errors.ts";
import { randomHex } from "../../core/ids.ts";
import { addSeconds, DAY, secondsBetween } from "../../core/time.ts";
import type { Ctx } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { removalOf } from "../../platforms/rehearsal.ts";
import { accountById } from "../accounts/repo.ts";
import { accountRefusal } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { isInstanceOwner } from "../auth/repo/people.ts";
import { requireOneOf } from "../auth/rules.ts";
import { toPublishAccount } from "../logins/platform-access.ts";
import { CallRecord } from "./record.ts";
import * as repo from "./repo.ts";
import { describe, MAX_A_DAY, type Next, textOf } from "./rules.ts";
import type { NewRehearsal } from "./schema.ts";
import type { Step } from "./step.ts";
import type { RehearsalRow } from "./table.ts";

/** Longer than the calls of one step. After this time, a crashed step is repeated. */
const TURN_SECONDS = 120;

const requireOwner = ({ actor }: Ctx) =>
  requireOneOf(actor, ["OWNER"], "Only the team's owner can rehearse.");

/** @throws AppError FORBIDDEN unless the caller is the owner */
export async function listRehearsals(ctx: Ctx): Promise<RehearsalRow[]> {
  const [rows] = await ctx.read("*", [repo.remaining(ctx.team)]);
  requireOwner(ctx);
  return rows;
}

/**
 * Publishes nothing yet. Returns the account's unfinished rehearsal if there is one.
 *
 * @throws AppError FORBIDDEN unless the caller is the owner, and the instance's owner where posts cost money;
 * NOT_FOUND, ACCOUNT_INACTIVE, DAILY_LIMIT
 */
export async function startRehearsal(
  ctx: Ctx,
  { accountId, note }: NewRehearsal,
): Promise<RehearsalRow> {
  const dayAgo = new Date(ctx.now().getTime() - DAY);
  const [[account], [open], [recent], [isPayer = false]] = await ctx.read("*", [
    accountById(ctx.team, accountId),
    repo.openRehearsal(ctx.team, accountId),
    repo.rehearsalsSince(ctx.team, accountId, dayAgo),
    isInstanceOwner({ user: ctx.user }),
  ]);
  requireOwner(ctx);
  if (!account) throw notFound("Account");
  if (open) return open;
  const refusal = accountRefusal(account, ctx.config);
  if (refusal) throw new AppError("ACCOUNT_INACTIVE", refusal);
  const { teamId, platform, mode } = account;
  const connector = connectorOf(platform);
  const { paidPosts, name } = connector;
  if (mode === "live" && paidPosts && !isPayer) {
    const payer = `${name} charges the owner of this instance for each post, so nobody else can rehearse there.`;
    throw new AppError("FORBIDDEN", payer);
  }
  if (recent && recent.used >= MAX_A_DAY) throw dailyLimit(account, recent.oldest ?? dayAgo);
  const removal = removalOf(connector, toPublishAccount(account));
  const text = textOf(ctx.now(), randomHex(3), removal, note);
  const insert = repo.insertRehearsal({ teamId, accountId, platform, text }, ctx.now());
  const [[made], [other]] = await ctx.db.run([insert, repo.openRehearsal(teamId, accountId)]);
  const row = made ?? other;
  if (!row) throw new Error("The rehearsal was not stored.");
  return row;
}

function dailyLimit({ accountName }: AccountRow, oldest: Date): AppError {
  const again = new Date(oldest.getTime() + DAY).toISOString();
  return new AppError(
    "DAILY_LIMIT",
    `${accountName} has reached its ${MAX_A_DAY} rehearsals in 24 hours. There is room again at ${again}.`,
  );
}

const idle = (row: RehearsalRow, next: Next, afterSeconds = 0): Step => ({
  row,
  next,
  afterSeconds,
  note: null,
  calls: [],
});

function nextOf({ stage }: RehearsalRow, isStopped = false): Next {
  if (stage === "over") return "over";
  if (isStopped) return "stop";
  return stage === "asking" ? "ask" : "step";
}

async function endWithoutAccount({ db, now }: Ctx, { teamId, id }: RehearsalRow): Promise<Step> {
  const end = repo.endWithoutAccount(now());
  const [, [ended]] = await db.run([end, repo.rehearsalById(teamId, id)]);
  if (!ended) throw notFound("Rehearsal");
  // Another call may be taking a step.
  return idle(ended, nextOf(ended), ended.stage === "over" ? 0 : TURN_SECONDS);
}

/**
 * A post that others would see needs `isPublicAccepted`.
 *
 * @param origin the address of this instance, as its caller sees it
 * @throws AppError FORBIDDEN unless the caller is the owner; NOT_FOUND, ACCOUNT_INACTIVE
 */
export async function takeStep(
  ctx: Ctx,
  id: number,
  isPublicAccepted: boolean,
  origin: string,
): Promise<Step> {
  const [[row]] = await ctx.read("*", [repo.rehearsalById(ctx.team, id)]);
  requireOwner(ctx);
  if (!row) throw notFound("Rehearsal");
  if (row.stage === "over") return idle(row, "over");
  const [[account]] = await ctx.db.run([accountById(row.teamId, row.accountId)]);
  if (!account) return endWithoutAccount(ctx, row);
  const refusal = accountRefusal(account, ctx.config);
  if (refusal) throw new AppError("ACCOUNT_INACTIVE", refusal);
  if (row.stage === "asking" && !isPublicAccepted) return idle(row, "ask");

  const until = addSeconds(ctx.now(), TURN_SECONDS);
  const [[taken]] = await ctx.db.run([repo.takeTurn(row, ctx.now(), until)]);
  if (!taken) {
    const wait = secondsBetween(ctx.now(), row.busyUntil ?? addSeconds(ctx.now(), 1));
    return idle(row, "step", Math.max(1, Math.ceil(wait)));
  }
  const record = new CallRecord(ctx.now);
  let held = taken;
  const save = async (changes: repo.Changes): Promise<RehearsalRow> => {
    const [[saved]] = await ctx.db.run([repo.updateRehearsal(held, changes, ctx.now())]);
    if (!saved) throw new AppError("UNAVAILABLE", "Another call continues this rehearsal.");
    held = saved;
    return saved;
  };
  try {
    const turns = await import("./turn.ts");
    const turn = await turns.takeStep({
      deps: { ...ctx, recordCalls: record.record },
      connector: connectorOf(row.platform),
      row: taken,
      account,
      origin,
      record,
      save,
    });
    const { afterSeconds, changes, isStopped } = turn;
    const message = record.clean(changes.message);
    const saved = await save({ ...changes, message, busyUntil: null });
    const note = record.clean(turn.note);
    const next = nextOf(saved, isStopped);
    return { row: saved, next, afterSeconds, note, calls: record.toCalls() };
  } catch (error) {
    await save({ busyUntil: null }).catch(() => {});
    throw error;
  }
}

/**
 * @param isUnpublishedOnly refuses once any of the post was sent
 * @throws AppError FORBIDDEN unless the caller is the owner; NOT_FOUND, NOT_CANCELLABLE
 */
export async function forgetRehearsal(
  ctx: Ctx,
  id: number,
  isUnpublishedOnly: boolean,
): Promise<void> {
  await ctx.read("*", []);
  requireOwner(ctx);
  const { teamId } = ctx.actor;
  const forget = isUnpublishedOnly ? repo.deleteUnpublished : repo.markForgotten;
  const [forgotten, [kept]] = await ctx.db.run([
    forget(teamId, id, ctx.now()),
    repo.rehearsalById(teamId, id),
  ]);
  if (forgotten > 0) return;
  if (!kept) throw notFound("Rehearsal");
  const why =
    kept.busyUntil && kept.busyUntil > ctx.now()
      ? "A step of this rehearsal is being taken. Try again in two minutes."
      : `The rehearsal has gone on meanwhile. ${describe(kept, connectorOf(kept.platform))}`;
  throw new AppError("NOT_CANCELLABLE", why);
}
