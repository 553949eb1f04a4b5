import { AppError } from "../../core/errors.ts";
import type { Query } from "../../db/client.ts";
import { runNamed } from "../../db/named.ts";
import { runTogether } from "../../db/together.ts";
import { type Actor, type Ctx, contextFor, type Deps } from "../../deps.ts";
import { accountRefusal } from "../accounts/rules.ts";
import { knownId } from "../auth/repo/people.ts";
import { createPosts } from "../compose/bulk.ts";
import { EMPTY_POST, type NewPost } from "../compose/new-post.ts";
import { noticeIfChanged } from "../notices/repo/notices.ts";
import { inWords, passOver } from "./pass-over.ts";
import {
  beginWaiting,
  endEmpty,
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
import { textsOfTurn } from "./turns.ts";

export const callsOf = (firings: number): number => 7 + firings;

/** Safe to repeat: a firing takes one item and creates its posts once. @throws what the database throws */
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

const NO_ACCOUNTS = "The slot has no connected account left. The queue stays as it is.";
const SWITCHED_OFF = "The pool was switched off or deleted at that moment.";
const TOO_LATE = "Its posts could not be made within 24 hours.";

async function dispatch(deps: Deps, taken: Firing): Promise<void> {
  const firing = taken.item?.repeatDays == null ? taken : await passOver(deps, taken);
  if (firing.outcome !== "due") {
    if (firing.waitingSince) await deps.db.run([endWaiting(firing.slotId)]);
    return;
  }
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
    await end([
      skipped ? endFiring(firing, { outcome: "skipped", reason: skipped }) : endEmpty(firing),
    ]);
    return;
  }
  const posts = isTooLate
    ? { ids: null, refusals: TOO_LATE, isHopeless: false }
    : await makePosts(deps, firing, item);
  const { ids } = posts;
  const excluded = item.excluded ?? {};
  const refusals = joined([inWords(firing, excluded), posts.refusals]);
  const isFailed = posts.isHopeless && Object.keys(excluded).length === 0;
  const isRepeated = item.repeatDays !== null;
  const reason = joined([firing.reason, firing.reason || isRepeated ? refusals : null]);
  await end([
    ...(ids
      ? keepPosts(firing, item.id, ids, refusals)
      : skipItem(firing, item.id, { reason: refusals ?? "", isFailed })),
    endFiring(firing, { outcome: "item", itemId: item.id, reason }, isRepeated ? ids : null),
    ...(firing.waitingSince ? [endWaiting(firing.slotId)] : []),
  ]);
}

const joined = (reasons: readonly (string | null)[]): string | null =>
  reasons.filter((reason) => reason).join(" ") || null;

function waitsFor({ config }: Pick<Deps, "config">, { accounts }: Firing): string | null {
  const refusals = accounts.map((account) => accountRefusal(account, config));
  if (refusals.length === 0 || refusals.includes(null)) return null;
  return `${refusals.join(" ")} The queue stays as it is until then.`;
}

interface Posts {
  ids: { first: number; last: number } | null;
  refusals: string | null;
  isHopeless: boolean;
}

async function makePosts(deps: Deps, firing: Firing, item: ItemRow): Promise<Posts> {
  const ctx = contextOf(deps, firing, item);
  const isHeld = ctx.actor.needsApproval;
  const make = (status: NewPost["status"]) => createPosts(ctx, toPost(firing, item, status));
  try {
    const { result } = await make(isHeld ? "pending_approval" : null).catch((error) => {
      // The team's approval rule changed between creating the posts and storing their ids: try the other status.
      const isRepeated = error instanceof AppError && error.code === "IDEMPOTENCY_MISMATCH";
      return isRepeated ? make(isHeld ? null : "pending_approval") : Promise.reject(error);
    });
    const made = result.results.filter((one) => one.success);
    const refused = result.results.filter((one) => !one.success);
    const [first, last] = [made[0], made.at(-1)];
    return {
      ids: first && last ? { first: first.uploadId, last: last.uploadId } : null,
      refusals: refused.map(({ error }) => error).join(" ") || null,
      isHopeless: result.isHopeless,
    };
  } catch (error) {
    // The queue delivers the message again.
    if (!(error instanceof AppError) || error.code === "QUEUE_BUSY") throw error;
    return { ids: null, refusals: error.message, isHopeless: !error.isPassing };
  }
}

function toPost(firing: Firing, item: ItemRow, status: NewPost["status"]): NewPost {
  const { title, description, settings, origin, media } = textsOfTurn(item, item.dispatches);
  const excluded = item.excluded ?? {};
  const key = `${firing.slotId} ${firing.fireAt.getTime()}`;
  return {
    ...EMPTY_POST,
    call: { route: "pool firing", key },
    accountIds: firing.accountIds.filter((id) => !Object.hasOwn(excluded, id)),
    title,
    description,
    settings,
    origin,
    status,
    media: media.map((file) => ({ ...file, field: file.role })),
  };
}

/** Posts belong to the person who added the item, with the person's present role. */
function contextOf(deps: Deps, firing: Firing, item: ItemRow): Ctx {
  const { teamId } = firing;
  const role = firing.role ?? "MEMBER";
  const actor: Actor = {
    tokenId: null,
    userId: item.addedBy,
    name: "",
    isAgent: false,
    teamId,
    isPinned: true,
    role,
    needsApproval: firing.needsApproval && role === "MEMBER",
    isProgram: false,
    accounts: null,
    scopes: [item.mayPublish ? "posts:publish" : "posts:write"],
  };
  return contextFor(deps, actor, knownId);
}
