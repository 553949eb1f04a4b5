import { formatCount } from "../../core/counts.ts";
import { AppError } from "../../core/errors.ts";
import { runNamed } from "../../db/named.ts";
import type { Deps } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { accountRefusal } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { knownId } from "../auth/repo/people.ts";
import {
  DUPLICATE_WINDOW_MS,
  duplicate,
  prepareText,
  type RecentPost,
  repeatRefusal,
  textOf,
} from "../limits/content-rules.ts";
import { type EarlierPost, earlierPosts, recentPosts } from "../limits/repo/compared.ts";
import { filesByHash, type MediaRow } from "../media/repo.ts";
import type { MediaRef } from "../posts/table.ts";
import { type Firing, firingByKey, takeItem } from "./repo/firings.ts";
import {
  decide,
  type Excluded,
  notePassed,
  putBack,
  takeInstead,
  turnsAt,
} from "./repo/repeats.ts";
import type { ItemRow } from "./table.ts";
import { textsOfTurn } from "./turns.ts";

const MAX_TRIES = 5;
const MAX_COMPARED = 3_000;
const MAX_COMPARED_PER_ACCOUNT = 300;
const MAX_SHOWN = 5;
const MAX_TITLE = 80;

export const inWords = ({ accounts }: Pick<Firing, "accounts">, excluded: Excluded): string =>
  accounts
    .flatMap(({ id, accountName }) => (excluded[id] ? [`${accountName}: ${excluded[id]}`] : []))
    .join(" ");

/**
 * Decides at which accounts the taken item has its turn. When all of them had its text and files too recently, the
 * firing takes the next item instead.
 *
 * @returns the firing as it is then
 * @throws AppError QUEUE_BUSY after the last try
 */
export async function passOver(deps: Deps, taken: Firing): Promise<Firing> {
  let firing = taken;
  for (let i = 0; i < MAX_TRIES; i++) {
    const { item, outcome } = firing;
    if (outcome !== "due" || !item || item.repeatDays === null || item.excluded) return firing;
    firing = await choose(deps, firing, item);
  }
  throw new AppError("QUEUE_BUSY", "Other slots take the items of this pool right now.");
}

async function choose(deps: Deps, firing: Firing, taken: ItemRow): Promise<Firing> {
  const { withSandbox, ...key } = keyOf(deps, firing);
  const history = await readHistory(deps, firing, taken);
  const own = await exclusions(firing, taken, history);
  const isFree = (excluded: Excluded) =>
    firing.accounts.some(
      (account) => !accountRefusal(account, deps.config) && !Object.hasOwn(excluded, account.id),
    );
  const again = [takeItem({ ...key, withSandbox }), firingByKey(key)] as const;
  if (isFree(own)) {
    const [, , [decided = firing]] = await deps.db.run([decide(key, taken.id, own), ...again]);
    return decided;
  }
  const [candidates] = await deps.db.run([turnsAt(key)]);
  const files = await readFiles(deps, firing.teamId, candidates);
  const passed: { item: ItemRow; reason: string }[] = [
    { item: taken, reason: inWords(firing, own) },
  ];
  let choice: { id: number; excluded: Excluded } | null = null;
  for (const item of candidates) {
    const excluded =
      item.repeatDays === null ? {} : await exclusions(firing, item, { ...history, files });
    if (isFree(excluded)) {
      choice = { id: item.id, excluded };
      break;
    }
    passed.push({ item, reason: inWords(firing, excluded) });
  }
  const note = {
    items: passed.map(
      ({ item, reason }) =>
        [item.id, `Passed over at ${firing.fireAt.toISOString()}. ${reason}`] as const,
    ),
    reason: passedInWords(passed),
  };
  const { firings } = await runNamed(deps.db, {
    back: putBack(key, taken.id),
    chosen: choice && takeInstead(key, choice.id, choice.excluded),
    noted: notePassed(key, note, choice ? "due" : "skipped"),
    taken: again[0],
    firings: again[1],
  });
  return firings[0] ?? firing;
}

const keyOf = ({ config }: Deps, { slotId, fireAt }: Firing) => ({
  slotId,
  fireAt,
  withSandbox: config.sandboxEnabled,
});

function passedInWords(passed: readonly { item: ItemRow; reason: string }[]): string {
  const shown = passed
    .slice(0, MAX_SHOWN)
    .map(
      ({ item, reason }) =>
        `Item ${item.id} (${item.title.slice(0, MAX_TITLE).toWellFormed()}) was passed over. ${reason}`,
    );
  const more = passed.length - shown.length;
  return [...shown, ...(more > 0 ? [`${formatCount(more)} more were passed over too.`] : [])].join(
    " ",
  );
}

interface History {
  earlier: ReadonlyMap<string, readonly EarlierPost[]>;
  recent: ReadonlyMap<string, readonly RecentPost[]>;
  files: readonly MediaRow[];
}

const hashesOf = (items: readonly ItemRow[]): string[] =>
  items.flatMap(({ media }) => media.flatMap((file) => ("sha256" in file ? [file.sha256] : [])));

async function readFiles(
  { db }: Deps,
  teamId: number,
  items: readonly ItemRow[],
): Promise<MediaRow[]> {
  const [files] = await db.run([filesByHash(knownId(teamId), hashesOf(items))]);
  return files;
}

async function readHistory(
  { db }: Deps,
  { teamId, accounts, fireAt: at }: Firing,
  item: ItemRow,
): Promise<History> {
  const ruled = accounts.filter(({ platform }) => connectorOf(platform).repeatRule);
  const others = accounts.filter((account) => !ruled.includes(account));
  const team = knownId(teamId);
  const most = Math.floor(MAX_COMPARED / Math.max(1, others.length));
  const around = {
    at,
    windowMs: DUPLICATE_WINDOW_MS,
    mostEach: Math.min(MAX_COMPARED_PER_ACCOUNT, most),
  };
  const { earlier, recent, files } = await runNamed(db, {
    earlier: ruled.flatMap(({ id: accountId, platform }) => {
      const { repeatRule } = connectorOf(platform);
      return repeatRule ? [earlierPosts(repeatRule, { id: 0, accountId }, at)] : [];
    }),
    recent: others.map(({ id: accountId }) => recentPosts(team, { accountId, ...around })),
    files: filesByHash(team, hashesOf([item])),
  });
  return {
    earlier: new Map(ruled.map(({ id }, i) => [id, earlier[i] ?? []])),
    recent: new Map(others.map(({ id }, i) => [id, recent[i] ?? []])),
    files,
  };
}

async function exclusions(
  { accounts, fireAt: at }: Firing,
  item: ItemRow,
  { earlier, recent, files }: History,
): Promise<Excluded> {
  const { title, description, media } = textsOfTurn(item, item.dispatches);
  const text = await prepareText(textOf({ title, description }));
  const refusalAt = async ({ id, platform }: AccountRow): Promise<string | null> => {
    const { repeatRule } = connectorOf(platform);
    const posts = repeatRule ? (earlier.get(id) ?? []) : (recent.get(id) ?? []);
    const refs = media.map((file) => toRef(file, files, posts));
    if (repeatRule) {
      const post = { title, description, media: refs };
      return repeatRefusal(repeatRule, post, earlier.get(id) ?? []);
    }
    const [same] = duplicate({ platform, text, media: refs, at }, recent.get(id) ?? []);
    return same?.message ?? null;
  };
  const refusals = await Promise.all(
    accounts.map(async (account) => [account.id, await refusalAt(account)] as const),
  );
  return Object.fromEntries(refusals.flatMap(([id, reason]) => (reason ? [[id, reason]] : [])));
}

function toRef(
  file: ItemRow["media"][number],
  files: readonly MediaRow[],
  posts: readonly { media: readonly MediaRef[] }[],
): MediaRef {
  if ("url" in file) {
    const downloaded = posts
      .flatMap(({ media }) => media)
      .find((ref) => "sha256" in ref && ref.from === file.url);
    return downloaded ?? { url: file.url };
  }
  const { sha256 } = file;
  const stored = files.find((one) => one.sha256 === sha256);
  const content = stored?.contentSha256;
  return {
    sha256,
    kind: stored?.kind ?? (file.role === "video" ? "video" : "image"),
    ...(content ? { content } : {}),
  };
}
