import { invalidFields, notFound } from "../../core/errors.ts";
import type { UploadFilter } from "../../core/upload-filter.ts";
import type { Ctx } from "../../deps.ts";
import { findArchived, listArchived } from "../archive/read.ts";
import { mayUse } from "../auth/rules.ts";
import { olderById, olderByIds, olderPage } from "./repo/older.ts";
import { MAX_PAGE_BYTES, type PageRow, ROW_BYTES } from "./repo/page.ts";
import { uploadById, uploadCount, uploadPage, uploadsByIds } from "./repo/read.ts";
import { mayApprove } from "./rules.ts";
import type { OlderFilter } from "./schema.ts";
import type { OlderRecord, UploadRecord, UploadWithAccount } from "./table.ts";

interface PageRequest {
  parameter: "limit" | "perPage";
  limit: number;
  page: number;
}

/**
 * Reads oversized records with `readWhole`; leaves out records removed meanwhile.
 *
 * @throws AppError 400 that names a smaller page, beginning at the same post
 */
async function fillPage<T>(
  rows: readonly PageRow<T>[],
  request: PageRequest,
  readWhole: (ids: number[]) => Promise<Map<number, T>>,
): Promise<T[]> {
  requireFit(rows, request);
  const cut = rows.filter(({ record }) => record === null).map(({ id }) => id);
  const whole = cut.length > 0 ? await readWhole(cut) : new Map<number, T>();
  return rows.flatMap(({ id, record }) => record ?? whole.get(id) ?? []);
}

/** @throws AppError 400 */
function requireFit(
  rows: readonly Pick<PageRow<unknown>, "bytes">[],
  { parameter, limit, page }: PageRequest,
): void {
  let sum = 0;
  const fitting = rows.findIndex(({ bytes }) => {
    sum += bytes + ROW_BYTES;
    return sum > MAX_PAGE_BYTES;
  });
  if (fitting < 0) return;
  const skipped = (page - 1) * limit;
  // Only a limit that divides the number of skipped posts has a page beginning at the same post.
  let smaller = Math.max(1, fitting);
  while (skipped % smaller !== 0) smaller--;
  const message = `${parameter}: the answer would be larger than 8 MB. Ask with ${parameter}=${smaller} and page=${skipped / smaller + 1}, which begins at the same post.`;
  throw invalidFields([{ field: parameter, message }]);
}

/** @throws AppError 400 */
const requireSmall = (page: readonly UploadWithAccount[], request: PageRequest): void =>
  requireFit(
    page.map(({ upload }) => ({ bytes: bytesOf(upload) })),
    request,
  );

const bytesOf = (upload: UploadRecord): number =>
  new TextEncoder().encode(JSON.stringify(upload)).length;

/** Hides the review link from callers who may not approve, because it lets its holder approve. */
const forCaller = ({ actor, now }: Ctx, one: UploadWithAccount): UploadWithAccount => {
  const { reviewLink } = one;
  const isShown = reviewLink !== null && reviewLink.expiresAt > now() && mayApprove(actor);
  return isShown ? one : { ...one, reviewLink: null };
};

/**
 * Newest first, with the total count.
 *
 * @param archived lists this month of the archive in place of the database
 * @throws AppError 400 for too large an answer; UNAVAILABLE for a damaged archive
 */
export async function listUploads(
  ctx: Ctx,
  { archived, ...filter }: UploadFilter & { archived?: string | undefined },
) {
  if (archived !== undefined) {
    const { posts: page, total } = await listArchived(ctx, archived, filter);
    requireSmall(page, { parameter: "limit", limit: filter.limit, page: filter.page });
    return { page, total };
  }
  const read = (shown: UploadFilter) =>
    ctx.read("posts:read", [uploadPage(ctx.team, shown), uploadCount(ctx.team, shown)]);
  const ofTeam = await read(filter);
  const { accounts } = ctx.actor;
  const [rows, [total = 0]] = accounts === null ? ofTeam : await read({ ...filter, accounts });
  const { limit, page: number } = filter;
  const page = await fillPage(rows, { parameter: "limit", limit, page: number }, async (ids) => {
    const [records] = await ctx.db.run([uploadsByIds(ctx.team, ids)]);
    return new Map(records.map((one) => [one.upload.id, one]));
  });
  return { page: page.map((one) => forCaller(ctx, one)), total };
}

/** @throws AppError NOT_FOUND; UNAVAILABLE for a damaged archive */
export async function getUpload(ctx: Ctx, id: number): Promise<UploadWithAccount> {
  const [[upload]] = await ctx.read("posts:read", [uploadById(ctx.team, id)]);
  if (!upload) {
    const archived = await findArchived(ctx, id);
    if (archived) return archived.found;
  }
  if (!upload || !mayUse(ctx.actor, upload.upload.accountId)) throw notFound("Upload");
  return forCaller(ctx, upload);
}

/**
 * Newest first.
 *
 * @throws AppError 400 for too large an answer
 */
export async function listOlderPosts(ctx: Ctx, filter: OlderFilter): Promise<OlderRecord[]> {
  const [rows] = await ctx.read("posts:read", [olderPage(ctx.team, filter)]);
  const { perPage: limit, page } = filter;
  return fillPage(rows, { parameter: "perPage", limit, page }, async (ids) => {
    const [records] = await ctx.db.run([olderByIds(ctx.team, ids)]);
    return new Map(records.map((post) => [post.id, post]));
  });
}

/** @throws AppError NOT_FOUND */
export async function getOlderPost(ctx: Ctx, id: number): Promise<OlderRecord> {
  const [[post]] = await ctx.read("posts:read", [olderById(ctx.team, id)]);
  const found = post ?? (await findArchived(ctx, id))?.post;
  if (!found) throw notFound("Post");
  return found;
}
