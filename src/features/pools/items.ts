import { formatCount } from "../../core/counts.ts";
import { AppError, type FieldError, fieldError, notFound } from "../../core/errors.ts";
import { coversScope } from "../../core/scopes.ts";
import { nullIfBlank } from "../../core/text.ts";
import { allOf } from "../../db/conditions.ts";
import { runNamed } from "../../db/named.ts";
import type { Ctx } from "../../deps.ts";
import type { RawField } from "../../platforms/kit/form-fields.ts";
import { connectors } from "../../platforms/registry.ts";
import { activityLine } from "../activity/repo.ts";
import {
  altTextErrors,
  type CheckedMedia,
  checkMedia,
  countFiles,
  discardFiles,
  filesAmong,
  filesToStore,
  keepReceived,
  type PresignedFiles,
  readPresigned,
  refusalsOf,
} from "../compose/media.ts";
import {
  canonicalMedia,
  type NewMedia,
  namesParts,
  type RawSettings,
} from "../compose/new-post.ts";
import { textErrors } from "../content/bounds.ts";
import {
  type Call,
  type Done,
  type FirstTime,
  type Looked,
  look,
  once,
} from "../idempotency/once.ts";
import { DAMAGED } from "../media/files.ts";
import { filesByHash, hasFiles, insertMedia, type MediaRow } from "../media/repo.ts";
import { arePresigned } from "../presign/repo.ts";
import { partErrors } from "./item-parts.ts";
import { readMetadata } from "./metadata.ts";
import { type FoundPool, invalid, requireMayFill, requireOwn } from "./refusals.ts";
import * as repo from "./repo/items.ts";
import { approvalOf, findPool } from "./repo/pools.ts";
import { targetsOf } from "./repo/slots.ts";
import { MAX_QUEUED } from "./rules.ts";
import type { ItemFile } from "./table.ts";
import type { Repeat } from "./turns.ts";
import { variantErrors } from "./variants.ts";

export interface NewItem {
  title: string | null;
  description: string | null;
  metadata: string | null;
  altText?: RawField;
  parts?: RawSettings;
  media: readonly NewMedia[];
  repeat: Repeat | null;
  variants: string[] | null;
}

export interface NewItems {
  poolId: number;
  call: Call | null;
  items: readonly NewItem[];
  prefixOf(index: number): string;
  /** Platforms fetch the files from this public origin. */
  origin: string;
  refused?: readonly FieldError[];
}

type Findings = readonly [pools: FoundPool[], needsApproval: boolean[]];

/** @throws AppError NOT_FOUND; FORBIDDEN for another team's pool and for members of a team that requires approval */
export async function lookUpPool(
  ctx: Ctx,
  { poolId, call }: Pick<NewItems, "poolId" | "call">,
): Promise<Looked<Findings>> {
  const looked = await look(ctx, "pools:write", call, [
    findPool({ team: ctx.team, id: poolId }),
    approvalOf(ctx.team),
  ]);
  const [[pool], [needsApproval = false]] = looked.findings;
  requireOwn(pool);
  requireMayFill(ctx, needsApproval);
  return looked;
}

/**
 * Spec is silent: posts of an item await approval when the caller may not publish.
 *
 * @param looked an earlier result of `lookUpPool`
 * @throws AppError VALIDATION with every refused field, QUEUE_FULL, and what `lookUpPool` and `once` throw
 */
export async function addItems(
  ctx: Ctx,
  adding: NewItems,
  looked?: Looked<Findings>,
): Promise<Done<repo.AddedItem[]>> {
  const { call, items } = adding;
  const media = items.flatMap((item) => item.media);
  try {
    const done = await once<Findings, repo.AddedItem[]>(ctx, call, () => canonicalItems(items), {
      look: async (losses) => (losses === 0 && looked) || lookUpPool(ctx, adding),
      make: (_, first) => store(ctx, adding, first),
      replay: async ({ firstUploadId: firstId }) => {
        const { teamId } = ctx.actor;
        const query = repo.addedItems(teamId, firstId ?? 0, items.length);
        const [added] = await ctx.db.run([query]);
        return added;
      },
    });
    if (done.isReplayed) ctx.defer(discardFiles(ctx, media));
    return done;
  } catch (error) {
    if (error instanceof AppError) ctx.defer(discardFiles(ctx, media));
    throw error;
  }
}

const canonicalItems = (items: readonly NewItem[]): unknown =>
  items.map(({ title, description, metadata, altText, parts = {}, media, repeat, variants }) => [
    title,
    description,
    metadata,
    canonicalMedia(media),
    ...(repeat || variants ? [repeat, variants] : []),
    ...(altText === undefined ? [] : [altText]),
    ...(Object.keys(parts).length > 0 ? [parts] : []),
  ]);

/** Returns null when a concurrent change prevented storing. */
async function store(
  ctx: Ctx,
  adding: NewItems,
  { isNew, keep }: FirstTime,
): Promise<repo.AddedItem[] | null> {
  const { poolId, items, origin, prefixOf, refused = [] } = adding;
  const media = items.flatMap((item) => item.media);
  const presigned = await readPresigned(ctx, { media, overrides: {}, origin });
  const owned = media.flatMap((item) => ("sha256" in item ? [item.sha256] : []));
  const stored = await filesOf(ctx, owned);
  const judged = items.map((item, i) =>
    judgeItem(ctx, withRoles(item, stored), { presigned, stored }, prefixOf(i)),
  );
  const errors = [
    ...refused,
    ...judged.flatMap((one) => one.errors),
    ...(await targetErrors(ctx, adding, judged)),
  ];
  if (errors.length > 0) throw invalid(errors);
  const { teamId, userId: addedBy, scopes } = ctx.actor;
  const mayPublish = coversScope(scopes, "posts:publish");
  const createdAt = ctx.now();
  const pinned = filesAmong(presigned);
  const files = filesToStore(media, pinned);
  const condition = allOf([
    isNew,
    repo.hasPlaces(poolId, items.length),
    ...(owned.length > 0 ? [hasFiles(teamId, owned)] : []),
    ...(pinned.length > 0 ? [arePresigned(pinned.map(({ objectKey }) => objectKey))] : []),
  ]);
  const rows = judged.map(({ row }) => ({ ...row, origin, mayPublish }));
  const needed = rows.flatMap((row, i) =>
    row.media.flatMap((file) => ("sha256" in file ? [[i, file.sha256] as const] : [])),
  );
  const { known, added } = await runNamed(ctx.db, {
    known: files.length > 0 ? insertMedia(teamId, files, createdAt, condition) : null,
    added: repo.insertItems({ poolId, teamId, addedBy, createdAt }, rows, condition),
    line: activityLine(ctx, rows.length > 1 ? "pool.items_added" : "pool.item_added", poolId),
    needed: needed.length > 0 ? repo.needFiles(teamId, rows.length, needed) : null,
    kept: keep(items.length, repo.firstInserted(rows.length)),
  });
  if (added.length === 0) return requirePlaces(ctx, adding);
  await keepReceived(ctx, media, files, known ?? []);
  return added.toSorted((a, b) => a.id - b.id);
}

async function filesOf({ db, team }: Ctx, hashes: readonly string[]): Promise<MediaRow[]> {
  return hashes.length > 0 ? (await db.run([filesByHash(team, hashes)]))[0] : [];
}

const withRoles = (item: NewItem, files: readonly MediaRow[]): NewItem => ({
  ...item,
  media: item.media.map((one) => {
    const file = "sha256" in one && files.find(({ sha256 }) => sha256 === one.sha256);
    return file && file.kind === "video" ? { ...one, role: "video" } : one;
  }),
});

async function targetErrors(
  ctx: Ctx,
  { poolId, items, prefixOf }: NewItems,
  judged: readonly Judged[],
): Promise<FieldError[]> {
  if (judged.every(({ row }) => row.variants === null && !namesParts(row.settings))) return [];
  const [targets] = await ctx.db.run([targetsOf(poolId)]);
  const errors = await Promise.all(
    judged.map(async ({ row }, i) => [
      ...(await variantErrors(ctx, row, targets)),
      ...inMetadata(await partErrors(ctx, row, targets), items[i]?.parts),
    ]),
  );
  return errors.flatMap((list, i) => withPrefix(list, prefixOf(i)));
}

const inMetadata = (errors: readonly FieldError[], sent: RawSettings = {}): FieldError[] =>
  errors.map(({ field, message }) => {
    if (Object.hasOwn(sent, field)) return { field, message };
    const inside = `metadata.${field}`;
    return { field: inside, message: message.replace(`${field}: `, `${inside}: `) };
  });

const withPrefix = (errors: readonly FieldError[], prefix: string): FieldError[] =>
  errors.map(({ field, message }) => ({
    field: `${prefix}${field}`,
    message: `${prefix}${message}`,
  }));

/**
 * Returns null after a concurrent change, else throws the reason.
 *
 * @throws AppError NOT_FOUND, FORBIDDEN, QUEUE_FULL
 */
async function requirePlaces(ctx: Ctx, { poolId, items }: NewItems): Promise<null> {
  const [[queued = 0], [pool]] = await ctx.db.run([
    repo.countQueued(poolId),
    findPool({ team: ctx.team, id: poolId }),
  ]);
  requireOwn(pool);
  if (queued + items.length <= MAX_QUEUED) return null;
  const message = `A pool holds ${formatCount(MAX_QUEUED)} items, and ${formatCount(queued)} wait in this one. Add more once some were published.`;
  throw new AppError("QUEUE_FULL", message);
}

const MAX_PHOTOS = Math.max(
  ...connectors().map(({ capabilities }) => capabilities.mediaSupport.maxCount),
);

type Judged = {
  row: Omit<repo.NewItemRow, "origin" | "mayPublish">;
  errors: FieldError[];
};

const VARIANTS_ALONE = fieldError(
  "variants",
  'are texts of an item that repeats. Send repeat too, such as {"every":{"days":30},"times":6}.',
);

/** The platforms are unknown until a slot fires. */
function judgeItem(
  ctx: Ctx,
  { title, description, metadata, altText, parts, media, repeat, variants }: NewItem,
  { presigned, stored }: { presigned: PresignedFiles; stored: readonly MediaRow[] },
  prefix: string,
): Judged {
  const refuse = (field: string, message: string) => ({ field, message: `${field}: ${message}` });
  const { settings: options, errors: wrongOptions } = readMetadata(metadata);
  const settings = {
    ...options,
    ...(altText === undefined ? {} : { alt_text: altText }),
    ...parts,
  };
  const checked = checkMedia(ctx, media, stored, presigned);
  const damaged = checked.flatMap((item, i) =>
    "media" in item && "isDamaged" in item.media && item.media.isDamaged
      ? [refuse(media[i]?.field ?? "photo", DAMAGED)]
      : [],
  );
  const errors = [
    ...(nullIfBlank(title) === null ? [refuse("title", "is required.")] : []),
    ...textErrors({ ...settings, title, description }),
    ...wrongOptions,
    ...(variants && !repeat ? [VARIANTS_ALONE] : []),
    ...refusalsOf(checked),
    ...altTextErrors(settings.alt_text, countFiles(checked)),
    ...damaged,
    ...countErrors(media).map(([field, message]) => refuse(field, message)),
  ];
  const files = checked.flatMap(toFile);
  return {
    row: {
      title: title ?? "",
      description: nullIfBlank(description),
      settings,
      media: files,
      repeatDays: repeat?.every.days ?? null,
      repeatTimes: repeat?.times ?? null,
      variants,
    },
    errors: withPrefix(errors, prefix),
  };
}

/** Source: spec, POST /pools/{id}/videos. */
function countErrors(media: readonly NewMedia[]): [field: string, message: string][] {
  const videos = media.filter(({ role }) => role === "video").length;
  const photos = media.length - videos;
  if (videos > 0 && photos > 0) return [["video", "send a video or photos, not both."]];
  if (videos > 1) return [["video", "send one video; each is an item of its own."]];
  if (photos > MAX_PHOTOS) return [["photo", `send ${MAX_PHOTOS} photos at most.`]];
  return media.length === 0 ? [["video", "send a video or photos."]] : [];
}

function toFile(item: CheckedMedia): ItemFile[] {
  if ("refusal" in item || item.role === "thumbnail") return [];
  const { role, ref } = item;
  return ["sha256" in ref ? { role, sha256: ref.sha256 } : { role, url: ref.url }];
}

interface ItemPage {
  status?: repo.ItemStatus;
  after: number;
  limit: number;
}

/** Pages of long texts have fewer items. @throws AppError NOT_FOUND, FORBIDDEN */
export async function listItems(
  ctx: Ctx,
  poolId: number,
  { status, after, limit }: ItemPage,
): Promise<{ items: repo.ListedItem[]; nextAfter: number | null }> {
  const [[pool], items] = await ctx.read("pools:read", [
    findPool({ team: ctx.team, id: poolId }),
    repo.itemsOf(ctx.team, poolId, { status: status ?? null, after, limit }),
  ]);
  requireOwn(pool);
  const isCut = items.length === limit || items.at(-1)?.isCut === true;
  return { items, nextAfter: isCut ? (items.at(-1)?.id ?? null) : null };
}

export const locked = (message: string): AppError => new AppError("NOT_CANCELLABLE", message);

/** @throws AppError NOT_FOUND, FORBIDDEN; NOT_CANCELLABLE for an item that a slot has taken */
export async function removeItem(ctx: Ctx, poolId: number, id: number): Promise<void> {
  const [[pool]] = await ctx.read("pools:write", [findPool({ team: ctx.team, id: poolId })]);
  requireOwn(pool);
  requireMayFill(ctx, ctx.actor.needsApproval);
  const [, removed, , [item]] = await ctx.db.run([
    ...repo.removeQueued(poolId, id),
    activityLine(ctx, "pool.item_removed", poolId),
    repo.findItem({ poolId, id }),
  ]);
  if (removed > 0) return;
  if (!item) throw notFound("Item");
  if (item.state === "posting") throw locked(whyLocked(item));
  throw locked(`This item was ${item.state}. Only queued items can be removed.`);
}

export function whyLocked({
  processing,
  waiting,
  repeatDays,
}: Record<"processing" | "waiting" | "repeatDays", number | null>): string {
  if (processing !== null) {
    return `Post ${processing} of this item is being published, so the item cannot be ${repeatDays === null ? "removed any more" : "changed or removed now"}.`;
  }
  if (waiting !== null) {
    return `Post ${waiting} of this item waits to be published or approved. Delete that post: the item then ${repeatDays === null ? "ends as skipped" : "returns to the queue"}.`;
  }
  return "The posts of this item are being made right now. Read the item again in a minute.";
}

/** Returns the number of removed items. @throws AppError NOT_FOUND, FORBIDDEN */
export async function clearItems(ctx: Ctx, poolId: number): Promise<number> {
  const [[pool]] = await ctx.read("pools:write", [findPool({ team: ctx.team, id: poolId })]);
  requireOwn(pool);
  requireMayFill(ctx, ctx.actor.needsApproval);
  const [, removed] = await ctx.db.run([
    ...repo.removeQueued(poolId, null),
    activityLine(ctx, "pool.cleared", poolId),
  ]);
  return removed;
}
