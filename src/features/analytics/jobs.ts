import type { Deps } from "../../deps.ts";
import type { MetricsReader } from "../../platforms/metrics.ts";
import type { CollectMessage } from "../../queue/messages.ts";
import type { Outcome } from "../../queue/outcome.ts";
import { accountById } from "../accounts/repo.ts";
import { isSwitchedOff } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import type { Budget } from "../uploads/publish/budget.ts";
import { countedDeps } from "../uploads/publish/counted-deps.ts";
import { collect, measuresOf, readerOf, rests, uploadIdsOf } from "./collect.ts";
import { type AnalyticsRow, type OwnRow, ownPosts, stateOf } from "./repo/write.ts";
import { isOver, postsOfCollection } from "./rules/nights.ts";
import { MOST_POSTS } from "./rules/series.ts";
import { storeSync } from "./store.ts";

/** Calls of one part of a collection, of which the batch's messages share 50. */
const CALLS = 32;
/** Calls to the platform among them; the others log in, read and store. */
const PLATFORM_CALLS = 24;
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
  budget: Budget,
): Promise<Outcome> {
  if (isOver(message.collection, deps.now())) return { kind: "done" };
  const again = await budget.within(CALLS, (spend) =>
    collectPart(countedDeps(deps, spend), message),
  );
  const delaySeconds = again === null ? CROWDED_SECONDS : again.afterSeconds;
  if (delaySeconds !== null) await deps.collectQueue.send(message, { delaySeconds });
  return { kind: "done" };
}

/** Answers when the next part is to be read; null: there is none. */
async function collectPart(
  deps: Deps,
  { teamId, accountId, collection }: CollectMessage,
): Promise<{ afterSeconds: number | null }> {
  const [[account], [state], own] = await deps.db.run([
    accountById(teamId, accountId),
    stateOf({ team: teamId, id: accountId }),
    ownPosts({ team: teamId, id: accountId, most: MOST_POSTS }),
  ]);
  const isBegun = state?.night === collection;
  if (!account || !isReadable(deps, account) || (isBegun && !state.bookmark)) {
    return { afterSeconds: null };
  }
  const reader = readerOf(account);
  if (!reader || (!isBegun && rests(reader, state?.syncedAt ?? null, deps.now()))) {
    return { afterSeconds: null };
  }
  return readPart(deps, reader, { account, state: isBegun ? state : null, own, collection });
}

const isReadable = (deps: Deps, account: AccountRow): boolean =>
  account.status === "active" && !isSwitchedOff(account, deps.config);

interface Part {
  account: AccountRow;
  /** The row as this collection left it; null at its beginning. */
  state: AnalyticsRow | null;
  own: readonly OwnRow[];
  collection: string;
}

async function readPart(
  deps: Deps,
  reader: MetricsReader,
  { account, state, own, collection }: Part,
): Promise<{ afterSeconds: number | null }> {
  const from = state?.bookmark ?? null;
  const { reading, errors, next, refusal } = await collect(deps, reader, {
    ...{ account, own, from },
    ...{ most: postsOfCollection(collection), calls: PLATFORM_CALLS },
  });
  const before = from?.refusals ?? 0;
  const refusals = refusal ? before + 1 : 0;
  const bookmark = next && refusals <= MOST_REFUSALS ? { ...next, refusals } : null;
  const isStored = await storeSync(deps, {
    ...{ teamId: account.teamId, accountId: account.id, reading, measures: measuresOf(reader) },
    uploadIds: uploadIdsOf(own),
    // A refusal that has passed is none any more.
    errors: [...(before > 0 ? [] : (state?.errors ?? [])), ...errors],
    collection: { night: collection, bookmark },
  });
  if (!bookmark || !isStored) return { afterSeconds: null };
  const usual = refusal ? REFUSED_SECONDS : NEXT_PART_SECONDS;
  return { afterSeconds: Math.min(refusal?.waitSeconds ?? usual, LONGEST_SECONDS) };
}
