import type { SharedBudget } from "../../core/budget.ts";
import type { Deps } from "../../deps.ts";
import type { MetricsReader } from "../../platforms/metrics.ts";
import { countedDeps } from "../../queue/counted-deps.ts";
import type { CollectMessage } from "../../queue/messages.ts";
import type { Outcome } from "../../queue/outcome.ts";
import { accountById } from "../accounts/repo/accounts.ts";
import { isSwitchedOff } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { isFresh } from "../accounts/usable-login.ts";
import { collect, measuresOf, readerOf, rests, uploadIdsOf } from "./collect.ts";
import { postsOf } from "./repo/read.ts";
import { type OwnRow, ownPosts, stateOf } from "./repo/write.ts";
import { isOver, ownPostsOfCollection, postsOfCollection } from "./rules/nights.ts";
import { type Known, storeSync } from "./store.ts";

/** Calls that renew a login, and those that store what was read. */
const RENEWAL_CALLS = 3;
const STORE_CALLS = 1;
const FOLLOWERS_CALLS = 1;
/** Calls that one part reserves at most; it may get more where the batch has more. */
const MOST_CALLS = 32;
/** While other messages of the batch spend the calls. */
const CROWDED_SECONDS = 15;
/** Until the next part, where the platform said nothing. */
const NEXT_PART_SECONDS = 2;
/** After a refusal that passes. */
const REFUSED_SECONDS = 15 * 60;
/** Refusals in a row that are waited for. */
const MOST_REFUSALS = 3;
/** The longest delay of a queue. Source: Queues, "Limits". */
const LONGEST_SECONDS = 12 * 3_600;

/**
 * Reads one part of a collection. The row tells where it stands, so that a message may come late, twice or not
 * at all; what is left is another message.
 */
export async function handleCollect(
  deps: Deps,
  message: CollectMessage,
  budget: SharedBudget,
): Promise<Outcome> {
  if (isOver(message.collection, deps.now())) return { kind: "done" };
  const part = await findPart(deps, message);
  if (!part) return { kind: "done" };
  const again = await budget.within(callsOf(part, deps.now()), (spend, more = () => false) =>
    readPart(countedDeps(deps, spend), part, more),
  );
  const delaySeconds = again === null ? CROWDED_SECONDS : again.afterSeconds;
  if (delaySeconds !== null) await deps.collectQueue.send(message, { delaySeconds });
  return { kind: "done" };
}

/** A part of a collection that is still to be read. */
interface Part {
  account: AccountRow;
  reader: MetricsReader;
  known: Known;
  /** This collection has been worked on before. */
  isBegun: boolean;
  own: readonly OwnRow[];
  collection: string;
}

/** Null where nothing is to be read. */
async function findPart(
  deps: Deps,
  { teamId: team, accountId: id, collection }: CollectMessage,
): Promise<Part | null> {
  const [[account], [row], [posts], own] = await deps.db.run([
    accountById(team, id),
    stateOf({ team, id }),
    postsOf({ team, id }),
    ownPosts({ team, id, most: ownPostsOfCollection(collection) }),
  ]);
  const isBegun = row?.night === collection;
  if (!account || !isReadable(deps, account) || (isBegun && !row.bookmark)) return null;
  const reader = readerOf(account);
  if (!reader || (!isBegun && rests(reader, row?.syncedAt ?? null, deps.now()))) return null;
  return { account, reader, known: { row, posts }, isBegun, own, collection };
}

const isReadable = (deps: Deps, account: AccountRow): boolean =>
  account.status === "active" && !isSwitchedOff(account, deps.config);

const bookmarkOf = ({ known: { row }, isBegun }: Part) =>
  isBegun ? (row?.bookmark ?? null) : null;

/** Calls that a part makes beside those for posts, and those for as many posts as the account is known to have. */
function callsOf(part: Part, now: Date): number {
  const { account, reader } = part;
  const isLoggedIn = reader.isPublic || isFresh(account.credentialsExpireAt, now);
  const others = (isLoggedIn ? 0 : RENEWAL_CALLS) + STORE_CALLS;
  return Math.min(MOST_CALLS, others + platformCallsOf(part));
}

function platformCallsOf(part: Part): number {
  const { reader, known, collection } = part;
  const from = bookmarkOf(part);
  const left = postsOfCollection(collection) - (from?.read ?? 0);
  const posts = Math.min(left, known.row?.summary.posts ?? left);
  const pages = Math.max(1, Math.ceil(posts / reader.pagePosts));
  const first = reader.callsOf(from?.cursor || null);
  return (from ? 0 : FOLLOWERS_CALLS) + pages * first;
}

/** Answers when the next part is to be read; null: there is none. */
async function readPart(
  deps: Deps,
  part: Part,
  more: (calls: number) => boolean,
): Promise<{ afterSeconds: number | null }> {
  const { account, reader, known, own, collection, isBegun } = part;
  const from = bookmarkOf(part);
  let room = Math.min(MOST_CALLS - RENEWAL_CALLS - STORE_CALLS, platformCallsOf(part));
  const { reading, errors, next, refusal } = await collect(deps, reader, {
    ...{ account, own, from, most: postsOfCollection(collection) },
    hasRoom: (calls, spent) => {
      const missing = spent + calls - room;
      if (missing > 0 && !more(missing)) return false;
      room += Math.max(0, missing);
      return true;
    },
  });
  const before = from?.refusals ?? 0;
  const refusals = refusal ? before + 1 : 0;
  const bookmark = next && refusals <= MOST_REFUSALS ? { ...next, refusals } : null;
  const synced = {
    ...{ teamId: account.teamId, accountId: account.id, reading, measures: measuresOf(reader) },
    uploadIds: uploadIdsOf(own),
    // A refusal that has passed is none any more.
    errors: [...(before > 0 || !isBegun ? [] : (known.row?.errors ?? [])), ...errors],
    collection: { night: collection, bookmark },
  };
  const isStored = await storeSync(deps, synced, known);
  if (!bookmark || !isStored) return { afterSeconds: null };
  const usual = refusal ? REFUSED_SECONDS : NEXT_PART_SECONDS;
  return { afterSeconds: Math.min(refusal?.waitSeconds ?? usual, LONGEST_SECONDS) };
}
