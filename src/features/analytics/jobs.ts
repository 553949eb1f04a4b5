import type { SharedBudget } from "../../core/budget.ts";
import type { Deps } from "../../deps.ts";
import type { MetricsReader } from "../../platforms/metrics.ts";
import { countedDeps } from "../../queue/counted-deps.ts";
import type { CollectMessage } from "../../queue/messages.ts";
import type { Outcome } from "../../queue/outcome.ts";
import { accountById } from "../accounts/repo.ts";
import { isSwitchedOff } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { isFresh } from "../logins/usable-login.ts";
import { collect, isTooSoon, measuresOf, readerOf, uploadIdsOf } from "./collect.ts";
import { postsOf, rehearsedPosts } from "./repo/read.ts";
import { type OwnRow, ownPosts, stateOf } from "./repo/write.ts";
import { isOver, ownPostsOfCollection, postsOfCollection } from "./rules/nights.ts";
import { type StoredState, storeSync } from "./store.ts";

const RENEWAL_CALLS = 3;
const STORE_CALLS = 1;
const FOLLOWERS_CALLS = 1;
/** Subrequests reserved for a part, which may use more while the batch has some left. */
const MAX_CALLS = 32;
/** Delay when the batch has no subrequests left. */
const CROWDED_SECONDS = 15;
const NEXT_PART_SECONDS = 2;
const REFUSED_SECONDS = 15 * 60;
/** More refusals in a row end a collection. */
const MAX_REFUSALS = 3;
/** Source: Queues, "Limits": longest delay. */
const LONGEST_SECONDS = 12 * 3_600;

/** The account's row stores the progress, so a message may arrive late, twice or never. */
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

interface Part {
  account: AccountRow;
  reader: MetricsReader;
  stored: StoredState;
  isContinued: boolean;
  own: readonly OwnRow[];
  rehearsed: readonly string[];
  collection: string;
}

async function findPart(
  deps: Deps,
  { teamId: team, accountId: id, collection }: CollectMessage,
): Promise<Part | null> {
  const [[account], [row], [posts], own, rehearsed] = await deps.db.run([
    accountById(team, id),
    stateOf({ team, id }),
    postsOf({ team, id }),
    ownPosts({ team, id, max: ownPostsOfCollection(collection) }),
    rehearsedPosts({ team, id }),
  ]);
  const isContinued = row?.night === collection;
  if (!account || !isReadable(deps, account) || (isContinued && !row.bookmark)) return null;
  const reader = readerOf(account);
  if (!reader || (!isContinued && isTooSoon(reader, row?.syncedAt ?? null, deps.now())))
    return null;
  return { account, reader, stored: { row, posts }, isContinued, own, rehearsed, collection };
}

const isReadable = (deps: Deps, account: AccountRow): boolean =>
  account.status === "active" && !isSwitchedOff(account, deps.config);

const bookmarkOf = ({ stored: { row }, isContinued }: Part) =>
  isContinued ? (row?.bookmark ?? null) : null;

function callsOf(part: Part, now: Date): number {
  const { account, reader } = part;
  const isLoggedIn = reader.isPublic || isFresh(account.credentialsExpireAt, now);
  const others = (isLoggedIn ? 0 : RENEWAL_CALLS) + STORE_CALLS;
  return Math.min(MAX_CALLS, others + platformCallsOf(part));
}

function platformCallsOf(part: Part): number {
  const { reader, stored, collection } = part;
  const from = bookmarkOf(part);
  const remaining = postsOfCollection(collection) - (from?.read ?? 0);
  const posts = Math.min(remaining, stored.row?.summary.posts ?? remaining);
  const pages = Math.max(1, Math.ceil(posts / reader.pagePosts));
  const first = reader.callsOf(from?.cursor || null);
  return (from ? 0 : FOLLOWERS_CALLS) + pages * first;
}

/** `afterSeconds` is null after the last part. */
async function readPart(
  deps: Deps,
  part: Part,
  more: (calls: number) => boolean,
): Promise<{ afterSeconds: number | null }> {
  const { account, reader, stored, own, rehearsed, collection, isContinued } = part;
  const from = bookmarkOf(part);
  let room = Math.min(MAX_CALLS - RENEWAL_CALLS - STORE_CALLS, platformCallsOf(part));
  const { reading, errors, next, refusal } = await collect(deps, reader, {
    account,
    own,
    from,
    max: postsOfCollection(collection),
    hasRoom: (calls, spent) => {
      const missing = spent + calls - room;
      if (missing > 0 && !more(missing)) return false;
      room += Math.max(0, missing);
      return true;
    },
  });
  const before = from?.refusals ?? 0;
  const refusals = refusal ? before + 1 : 0;
  const bookmark = next && refusals <= MAX_REFUSALS ? { ...next, refusals } : null;
  const synced = {
    teamId: account.teamId,
    accountId: account.id,
    reading,
    measures: measuresOf(deps, account.platform),
    uploadIds: uploadIdsOf(own),
    rehearsed,
    // A new collection, or a try after a refusal, drops the stored errors.
    errors: [...(before > 0 || !isContinued ? [] : (stored.row?.errors ?? [])), ...errors],
    collection: { night: collection, bookmark },
  };
  const isStored = await storeSync(deps, synced, stored);
  if (!bookmark || !isStored) return { afterSeconds: null };
  const usual = refusal ? REFUSED_SECONDS : NEXT_PART_SECONDS;
  return { afterSeconds: Math.min(refusal?.waitSeconds ?? usual, LONGEST_SECONDS) };
}
