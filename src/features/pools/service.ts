import { AppError, type FieldError, notFound } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { ZoneClock } from "../../core/zone.ts";
import { allOf } from "../../db/conditions.ts";
import { runNamed } from "../../db/named.ts";
import type { Ctx } from "../../deps.ts";
import { activityLine, INSERTED } from "../activity/repo.ts";
import { type FirstTime, look, once } from "../idempotency/once.ts";
import { invalid, requireMayFill, requireOwn } from "./refusals.ts";
import * as repo from "./repo/pools.ts";
import * as slots from "./repo/slots.ts";
import { MAX_POOLS, MAX_SLOTS, nextFiring, type Recurrence, rescheduled } from "./rules.ts";
import type { NewPool, NewSlot, PoolChange, SlotChange } from "./schema.ts";
import type { PoolRow, SlotRow } from "./table.ts";

export async function listPools(ctx: Ctx): Promise<repo.PoolWithSlots[]> {
  const [rows] = await ctx.read("pools:read", [repo.poolsOf({ team: ctx.team })]);
  return rows;
}

/** @throws AppError NOT_FOUND; FORBIDDEN for another team's pool */
export async function getPool(ctx: Ctx, id: number): Promise<repo.PoolWithSlots> {
  const [[pool]] = await ctx.read("pools:read", [repo.findWithSlots({ team: ctx.team, id })]);
  return requireOwn(pool);
}

const foreignErrors = (field: string, ids: readonly string[], own: readonly string[]) =>
  ids.flatMap((id, i): FieldError[] => {
    if (own.includes(id)) return [];
    const name = `${field}.${i}`;
    const message = `${name}: no account of the team has the id ${id}. GET /accounts lists them.`;
    return [{ field: name, message }];
  });

function firstTimes(
  { timezone, isActive }: Pick<PoolRow, "timezone" | "isActive">,
  recurrence: Recurrence,
  now: Date,
): Pick<SlotRow, "nextAt" | "nextDay"> {
  const clock = new ZoneClock(timezone);
  const next = isActive && nextFiring(clock, recurrence, { after: now.getTime(), lastDay: null });
  return next ? { nextAt: new Date(next.at), nextDay: next.day } : { nextAt: null, nextDay: null };
}

const NEVER_FIRED = { lastAt: null, lastDay: null, waitingSince: null };

/**
 * @throws AppError VALIDATION for another team's accounts; FORBIDDEN for a member of a team that requires approval;
 * PLAN_LIMIT; the errors of `once`
 */
export async function createPool(
  ctx: Ctx,
  input: NewPool,
  call: NamedCall | null,
): Promise<repo.PoolWithSlots> {
  const accountIds = input.slots.flatMap(({ accountIds }) => accountIds);
  const { result } = await once<null, repo.PoolWithSlots>(ctx, call, () => input, {
    look: async (losses) => {
      const { findings, stored } = await look(ctx, "pools:write", call, [
        repo.approvalOf(ctx.team),
        slots.ownAccounts(ctx.team, accountIds),
      ]);
      const [[needsApproval = false], own] = findings;
      requireMayFill(ctx, needsApproval);
      if (stored) return { findings: null, stored };
      if (losses > 0) throw tooMany(`A team has at most ${MAX_POOLS} pools. Delete one first.`);
      const errors = input.slots.flatMap(({ accountIds }, i) =>
        foreignErrors(`slots.${i}.accountIds`, accountIds, own),
      );
      if (errors.length > 0) throw invalid(errors);
      return { findings: null, stored };
    },
    make: (_, first) => storePool(ctx, input, first),
    replay: ({ firstUploadId }) => getPool(ctx, firstUploadId ?? 0),
  });
  return result;
}

/** Returns null for a repeated call, and when the team has too many pools. */
async function storePool(
  ctx: Ctx,
  input: NewPool,
  { isNew, keep }: FirstTime,
): Promise<repo.PoolWithSlots | null> {
  const { teamId } = ctx.actor;
  const createdAt = ctx.now();
  const { name, timezone, isActive } = input;
  const rows = input.slots.map((slot) => ({
    ...slot,
    teamId,
    createdAt,
    ...firstTimes({ timezone, isActive }, slot, createdAt),
  }));
  const { made, added } = await runNamed(ctx.db, {
    made: repo.insertPool({ teamId, name, timezone, isActive, createdAt }, isNew),
    added:
      rows.length > 0 ? slots.insertSlots(repo.newestOf(teamId), rows, repo.JUST_INSERTED) : null,
    line: activityLine(ctx, "pool.created", repo.newestOf(teamId)),
    kept: keep(null, repo.newestOf(teamId)),
  });
  const [[id], slotIds] = [made, added ?? []];
  if (id === undefined) return null;
  const pool = { id, teamId, name, timezone, isActive, createdAt, updatedAt: createdAt };
  return {
    ...pool,
    deletedAt: null,
    isOwn: true,
    queued: 0,
    slots: rows.map((row, i) => ({ ...row, ...NEVER_FIRED, id: slotIds[i] ?? 0, poolId: id })),
  };
}

const tooMany = (message: string): AppError => new AppError("PLAN_LIMIT", message);

/** A try fails when the pool changed meanwhile. */
const MAX_TRIES = 5;

/** @throws AppError QUEUE_BUSY after the last try */
async function untilDone<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (let i = 0; i < MAX_TRIES; i++) {
    const done = await attempt();
    if (done !== null) return done;
  }
  throw new AppError("QUEUE_BUSY", "Others change this pool right now. Send the call again.");
}

/** @throws AppError NOT_FOUND, FORBIDDEN */
async function lookUpToChange(ctx: Ctx, id: number, call: NamedCall | null) {
  const { findings, stored } = await look(ctx, "pools:write", call, [
    repo.findWithSlots({ team: ctx.team, id }),
    repo.approvalOf(ctx.team),
  ]);
  const [[match], [needsApproval = false]] = findings;
  const pool = requireOwn(match);
  requireMayFill(ctx, needsApproval);
  return { pool, stored };
}

const poolToChange = async (ctx: Ctx, id: number): Promise<repo.PoolWithSlots> =>
  (await lookUpToChange(ctx, id, null)).pool;

/** Slots keep their local time in a new zone. @throws AppError NOT_FOUND, FORBIDDEN */
export function changePool(ctx: Ctx, id: number, change: PoolChange): Promise<repo.PoolWithSlots> {
  return untilDone(async () => {
    const pool = await poolToChange(ctx, id);
    const now = ctx.now();
    const changed = { ...pool, ...change, updatedAt: now };
    const clock = new ZoneClock(changed.timezone);
    const isNewZone = changed.timezone !== pool.timezone;
    const moved = pool.slots.map((slot) => {
      const times = rescheduled(clock, slot, slot, { now, isNewZone });
      return { ...slot, ...times, ...(changed.isActive ? {} : { nextAt: null, nextDay: null }) };
    });
    const [isChanged] = await ctx.db.run([
      repo.updatePool(changed, slots.areAsRead(id, pool.slots)),
      activityLine(ctx, "pool.changed", id),
      slots.moveSlots(moved),
    ]);
    return isChanged > 0 ? { ...changed, slots: moved } : null;
  });
}

/** @throws AppError NOT_FOUND, FORBIDDEN */
export async function deletePool(ctx: Ctx, id: number): Promise<void> {
  await poolToChange(ctx, id);
  const results = await ctx.db.runAll([
    ...repo.deletePool(id, ctx.now()),
    activityLine(ctx, "pool.deleted", id),
  ]);
  if (results.at(-1) === 0) throw notFound("Pool");
}

/** @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION for another team's accounts; PLAN_LIMIT; the errors of `once` */
export async function addSlot(
  ctx: Ctx,
  poolId: number,
  slot: NewSlot,
  call: NamedCall | null,
): Promise<SlotRow> {
  const { result } = await once<repo.PoolWithSlots, SlotRow>(ctx, call, () => slot, {
    look: async () => {
      const { pool, stored } = await lookUpToChange(ctx, poolId, call);
      if (stored) return { findings: pool, stored };
      await requireOwnAccounts(ctx, slot.accountIds);
      if (pool.slots.length >= MAX_SLOTS) {
        throw tooMany(`A pool has at most ${MAX_SLOTS} slots. Delete one first.`);
      }
      return { findings: pool, stored };
    },
    make: async (pool, { isNew, keep }) => {
      const { teamId } = pool;
      const createdAt = ctx.now();
      const row = { ...slot, teamId, createdAt, ...firstTimes(pool, slot, createdAt) };
      const [[id]] = await ctx.db.run([
        slots.insertSlots(poolId, [row], allOf([isNew, slots.isAsRead(pool)])),
        activityLine(ctx, "pool.slot_added", poolId),
        ...keep(null, INSERTED),
      ]);
      return id === undefined ? null : { ...row, ...NEVER_FIRED, id, poolId };
    },
    replay: async ({ firstUploadId }) => {
      const pool = await getPool(ctx, poolId);
      const added = pool.slots.find(({ id }) => id === firstUploadId);
      if (!added) throw notFound("Slot");
      return added;
    },
  });
  return result;
}

async function requireOwnAccounts(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const [own] = await ctx.db.run([slots.ownAccounts(ctx.team, ids)]);
  const errors = foreignErrors("accountIds", ids, own);
  if (errors.length > 0) throw invalid(errors);
}

interface SlotIds {
  poolId: number;
  slotId: number;
}

/**
 * The slot never fires twice on a local day.
 *
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION for another team's accounts
 */
export function changeSlot(
  ctx: Ctx,
  { poolId, slotId }: SlotIds,
  change: SlotChange,
): Promise<SlotRow> {
  return untilDone(async () => {
    const pool = await poolToChange(ctx, poolId);
    const slot = pool.slots.find(({ id }) => id === slotId);
    if (!slot) throw notFound("Slot");
    if (change.accountIds) await requireOwnAccounts(ctx, change.accountIds);
    const changed = { ...slot, ...change };
    const times = rescheduled(new ZoneClock(pool.timezone), changed, slot, {
      now: ctx.now(),
      isNewZone: false,
    });
    const moved = pool.isActive ? { ...changed, ...times } : changed;
    const [isChanged] = await ctx.db.run([
      slots.updateSlot(slot, pool, moved),
      activityLine(ctx, "pool.slot_changed", poolId),
    ]);
    return isChanged > 0 ? moved : null;
  });
}

/** @throws AppError NOT_FOUND, FORBIDDEN */
export async function deleteSlot(ctx: Ctx, { poolId, slotId }: SlotIds): Promise<void> {
  await poolToChange(ctx, poolId);
  const [deleted] = await ctx.db.run([
    slots.deleteSlot(poolId, slotId),
    activityLine(ctx, "pool.slot_removed", poolId),
  ]);
  if (deleted === 0) throw notFound("Slot");
}
