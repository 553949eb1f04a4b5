import { AppError, type FieldError, fieldError, notFound } from "../../core/errors.ts";
import { nullIfBlank } from "../../core/text.ts";
import type { Ctx } from "../../deps.ts";
import { activityLine } from "../activity/repo.ts";
import { textErrors } from "../content/bounds.ts";
import { partErrors, toRawParts } from "./item-parts.ts";
import { locked, whyLocked } from "./items.ts";
import { invalid, requireMayFill, requireOwn } from "./refusals.ts";
import type { ItemChange } from "./repeat-schema.ts";
import { findItem, itemsOf, type ListedItem } from "./repo/items.ts";
import { approvalOf, findPool } from "./repo/pools.ts";
import { changeQueued, itemToChange } from "./repo/repeats.ts";
import { targetsOf } from "./repo/slots.ts";
import type { ItemRow } from "./table.ts";
import type { Repeat } from "./turns.ts";
import { variantErrors } from "./variants.ts";

const MAX_TRIES = 5;

/**
 * @throws AppError VALIDATION, NOT_FOUND, FORBIDDEN, QUEUE_BUSY; NOT_CANCELLABLE for an item that does not wait in the
 * queue
 */
export async function changeItem(
  ctx: Ctx,
  poolId: number,
  id: number,
  change: ItemChange,
): Promise<ListedItem> {
  for (let i = 0; i < MAX_TRIES; i++) {
    const [[pool], [needsApproval = false], [item], targets, [lock]] = await ctx.read(
      "pools:write",
      [
        findPool({ team: ctx.team, id: poolId }),
        approvalOf(ctx.team),
        itemToChange(poolId, id),
        targetsOf(poolId),
        findItem({ poolId, id }),
      ],
    );
    requireOwn(pool);
    requireMayFill(ctx, needsApproval);
    if (!item) throw notFound("Item");
    if (item.state !== "queued") {
      throw locked(
        item.state === "posting" && lock
          ? whyLocked(lock)
          : `This item was ${item.state}. Only queued items can be changed.`,
      );
    }
    const { repeat, variants } = changed(item, change);
    const title = change.title ?? item.title;
    const description =
      change.description === undefined ? item.description : nullIfBlank(change.description);
    const hasNewTexts = title !== item.title || description !== item.description;
    const parts = toRawParts(change);
    const hasNewParts = Object.keys(parts).length > 0;
    const settings = { ...item.settings, ...parts };
    const after = { ...item, title, description, variants, settings };
    const isJudged = hasNewTexts || change.variants;
    const errors: FieldError[] = [
      ...repeatErrors(item, change),
      ...(isJudged ? await variantErrors(ctx, after, targets) : []),
      ...(hasNewParts || hasNewTexts ? textErrors({ ...settings, title, description }) : []),
      ...(hasNewParts || hasNewTexts ? await partErrors(ctx, after, targets) : []),
    ];
    if (errors.length > 0) throw invalid(errors);
    const page = { status: null, after: id - 1, limit: 1 };
    const [isChanged, , [listed]] = await ctx.db.run([
      changeQueued(item, { title, description, repeat, variants, settings }),
      activityLine(ctx, "pool.item_changed", poolId),
      itemsOf(ctx.team, poolId, page),
    ]);
    if (isChanged > 0 && listed) return listed;
  }
  throw new AppError("QUEUE_BUSY", "Slots take this item right now. Send the call again.");
}

function changed(
  { repeatDays, repeatTimes, variants, dispatches, failures }: ItemRow,
  change: ItemChange,
): { repeat: Repeat | null; variants: string[] | null } {
  const texts = change.variants === undefined ? variants : change.variants;
  if (change.repeat) return { repeat: change.repeat, variants: texts };
  const own =
    repeatDays === null || repeatTimes === null
      ? null
      : { every: { days: repeatDays }, times: repeatTimes };
  if (change.repeat === undefined) return { repeat: own, variants: texts };
  // An item that returned keeps its place in the queue only as one that repeats.
  const hadTurn = dispatches + failures > 0;
  if (!own || !hadTurn) return { repeat: null, variants: change.variants ?? null };
  return { repeat: { ...own, times: dispatches + 1 }, variants: texts };
}

function repeatErrors(
  { repeatDays, dispatches }: ItemRow,
  { repeat, variants }: ItemChange,
): FieldError[] {
  if (repeat && repeat.times <= dispatches) {
    const message = `must be more than ${dispatches}: the item was published that often already.`;
    return [fieldError("repeat.times", message)];
  }
  const willRepeat = repeat !== undefined ? repeat !== null : repeatDays !== null;
  if (willRepeat || !variants) return [];
  return [fieldError("variants", "are texts of an item that repeats. Send repeat too.")];
}
