import { AppError } from "../../core/errors.ts";
import type { Query } from "../../db/client.ts";
import { runNamed } from "../../db/named.ts";
import { runTogether } from "../../db/together.ts";
import type { Actor, Ctx, Deps } from "../../deps.ts";
import { accountRefusal } from "../accounts/rules.ts";
import { knownId } from "../auth/repo/people.ts";
import { createPosts } from "../compose/bulk.ts";
import { EMPTY_POST, type NewPost } from "../compose/new-post.ts";
import { noticeIfChanged } from "../notices/repo/notices.ts";
import {
  beginWaiting,
  endFiring,
  endWaiting,
  type Firing,
  type FiringKey,
  firingByKey,
  keepPosts,
  skipItem,
  takeItem,
} from "./repo/firings.ts";
import { FIRING_WAIT_MS } from "./rules.ts";
import type { ItemRow } from "./table.ts";

/** Calls that carrying out so many firings makes, at most: one to the queue each, and those to the database. */
export const callsOf = (firings: number): number => 5 + firings;

/**
 * Carries firings out: each takes the item that waits longest, whose posts are made as any other's are. A firing
 * that is repeated takes no second item and makes no second post.
 *
 * @throws what the database throws; then what was done stays, and the rest is done when the message comes again
 */
export async function carryOut(deps: Deps, keys: readonly FiringKey[]): Promise<void> {
  const { firings } = await runNamed(deps.db, {
    taken: keys.map((key) => takeItem({ ...key, withSandbox: deps.config.sandboxEnabled })),
    firings: keys.map(firingByKey),
  });
  const open = firings.flat().filter(({ outcome }) => outcome === "due");
  const done = await runTogether(
    deps.db,
    open.map((firing) => (db) => dispatch({ ...deps, db }, firing)),
  );
  const broken = done.find((one) => one.status === "rejected");
  if (broken) throw broken.reason;
}

const EMPTY = { outcome: "empty", reason: "The queue is empty." } as const;
const NO_ACCOUNTS = "The slot has no connected account left. The queue stays as it is.";
const SWITCHED_OFF = "The pool was switched off or deleted at that moment.";
const TOO_LATE = "Its posts could not be made within 24 hours.";

async function dispatch(deps: Deps, firing: Firing): Promise<void> {
  const { item, accountIds, isInUse, createdAt } = firing;
  const isTooLate = deps.now().getTime() - createdAt.getTime() > FIRING_WAIT_MS;
  const end = (queries: readonly Query<number>[]) => deps.db.runAll(queries);
  const waiting = item === null && isInUse ? waitsFor(deps, firing) : null;
  if (waiting) {
    const { slotId, teamId } = firing;
    const now = deps.now();
    await end([
      beginWaiting(slotId, now),
      noticeIfChanged({ subject: `slot_${slotId}`, teamId, now }),
      endFiring(firing, { outcome: "skipped", reason: waiting }),
    ]);
    return;
  }
  if (!item) {
    const skipped = accountIds.length === 0 ? NO_ACCOUNTS : isInUse ? null : SWITCHED_OFF;
    await end([endFiring(firing, skipped ? { outcome: "skipped", reason: skipped } : EMPTY)]);
    return;
  }
  const posts = isTooLate ? { ids: null, refusals: TOO_LATE } : await makePosts(deps, firing, item);
  const { ids, refusals } = posts;
  await end([
    ...(ids ? keepPosts(item.id, ids, refusals) : skipItem(item.id, refusals ?? "")),
    endFiring(firing, { outcome: "item", itemId: item.id }),
    ...(firing.waitingSince ? [endWaiting(firing.slotId)] : []),
  ]);
}

/** Returns why a slot waits for its accounts, in words; null while one of them can be used, or it has none. */
function waitsFor({ config }: Pick<Deps, "config">, { accounts }: Firing): string | null {
  const refusals = accounts.map((account) => accountRefusal(account, config));
  if (refusals.length === 0 || refusals.includes(null)) return null;
  return `${refusals.join(" ")} The queue stays as it is until then.`;
}

interface Posts {
  ids: { first: number; last: number } | null;
  /** Why accounts were refused, in words. */
  refusals: string | null;
}

/** Makes the posts of an item, once however often this is repeated. */
async function makePosts(deps: Deps, firing: Firing, item: ItemRow): Promise<Posts> {
  const ctx = contextOf(deps, firing, item);
  const isHeld = ctx.actor.needsApproval;
  const make = (status: NewPost["status"]) => createPosts(ctx, toPost(firing, item, status));
  try {
    const { result } = await make(isHeld ? "pending_approval" : null).catch((error) => {
      // The team's rule was changed between the posts and the note of them.
      const isRepeated = error instanceof AppError && error.code === "IDEMPOTENCY_MISMATCH";
      return isRepeated ? make(isHeld ? null : "pending_approval") : Promise.reject(error);
    });
    const made = result.results.filter((one) => one.success);
    const refused = result.results.filter((one) => !one.success);
    const [first, last] = [made[0], made.at(-1)];
    return {
      ids: first && last ? { first: first.uploadId, last: last.uploadId } : null,
      refusals: refused.map(({ error }) => error).join(" ") || null,
    };
  } catch (error) {
    // Lost races are tried again: the message comes back.
    if (!(error instanceof AppError) || error.code === "QUEUE_BUSY") throw error;
    return { ids: null, refusals: error.message };
  }
}

/** The post of an item, named after its firing: that makes it only once. */
function toPost(firing: Firing, item: ItemRow, status: NewPost["status"]): NewPost {
  const { title, description, settings, origin, media } = item;
  const key = `${firing.slotId} ${firing.fireAt.getTime()}`;
  return {
    ...EMPTY_POST,
    ...{ call: { route: "pool firing", key }, accountIds: firing.accountIds },
    ...{ title, description, settings, origin, status },
    media: media.map((file) => ({ ...file, field: file.role })),
  };
}

/**
 * The context of whoever added an item: its posts are theirs. Their role is what it is now; once they have left
 * the team, that of a member. Without a right to publish when they added it, its posts are held for approval.
 */
function contextOf(deps: Deps, firing: Firing, item: ItemRow): Ctx {
  const { teamId } = firing;
  const role = firing.role ?? "MEMBER";
  const actor: Actor = {
    ...{ tokenId: null, userId: item.addedBy, teamId, isPinned: true, role },
    needsApproval: firing.needsApproval && role === "MEMBER",
    scopes: [item.mayPublish ? "posts:publish" : "posts:write"],
  };
  return {
    ...deps,
    ...{ team: knownId(teamId), user: knownId(item.addedBy), actor },
    knownActor: () => actor,
    // The item's own scopes decide; a pool calls no tools.
    bindScope: () => {},
    read: (_, queries) => deps.db.run(queries),
  };
}
