import { AppError, type FieldError, fieldError, invalidFields } from "../../core/errors.ts";
import type { Platform } from "../../core/platforms.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { UploadStatus } from "../../core/upload-status.ts";
import type { Ctx } from "../../deps.ts";
import { accountsOfTeam } from "../accounts/repo.ts";
import { mayUse } from "../auth/rules.ts";
import { createSeries, type RefusedPost, type SeriesResult } from "../compose/changes.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { type DialectName, type Mapping, readColumns } from "./dialects.ts";
import { normalizeSheet, readSheet } from "./sheet.ts";
import { readTargets } from "./targets.ts";
import { type ImportedPost, toPosts } from "./to-posts.ts";

export const MAX_ROWS = 500;
/** Rows may name several accounts. The posts of one call keep within the free plan's calls to the database. */
export const MAX_POSTS = 1_000;

export interface ImportRequest {
  /** The file, decoded by `decodeSheet`. */
  text: string;
  /** IANA zone of dates without an offset; null for the workspace's. */
  zone: string | null;
  mapping: Mapping;
  /** For rows without an account; null for none. */
  account: string | null;
  isDryRun: boolean;
  origin: string;
}

export interface ImportRow {
  row: number;
  accountId: string | null;
  platform: Platform | null;
  /** The words by which a person knows the row again. */
  text: string;
  valid: boolean;
  errors: FieldError[];
  warnings: string[];
  status: UploadStatus | null;
  scheduledFor: Date | null;
  uploadId: number | null;
}

export interface ImportOutcome {
  dialect: DialectName;
  zone: string;
  /** The column of each field. */
  columns: Record<string, string>;
  ignoredColumns: string[];
  rows: ImportRow[];
  created: number;
  skipped: number;
}

/**
 * Makes a post of each row of a sheet for each of its accounts. A row that an earlier call imported, from this file or
 * another, is skipped; a refused row does not stop the others.
 *
 * @throws AppError 400 for a file that cannot be read, QUEUE_BUSY
 */
export async function importPosts(ctx: Ctx, request: ImportRequest): Promise<ImportOutcome> {
  const { mapping, isDryRun, origin } = request;
  const text = normalizeSheet(request.text);
  const [accounts, [ownZone = null]] = await ctx.read("posts:write", [
    accountsOfTeam(ctx.team, {}),
    zoneOfTeam({ team: ctx.team }),
  ]);
  const zone = request.zone ?? ownZone ?? "UTC";
  const usableAccounts = accounts.filter(({ id }) => mayUse(ctx.actor, id));
  const sheet = readSheet(text);
  if (sheet.rows.length > MAX_ROWS) {
    const message = `The file has ${sheet.rows.length} rows, and one import takes ${MAX_ROWS}. Split the file.`;
    throw new AppError(null, message);
  }
  const columns = readColumns(sheet, mapping);
  const usualTargets =
    request.account === null ? null : readTargets(request.account, usableAccounts);
  if (usualTargets && usualTargets.refusals.length > 0) {
    throw invalidFields(usualTargets.refusals.map((refusal) => fieldError("account", refusal)));
  }
  const most = MAX_POSTS + 1;
  const posts = toPosts(sheet, {
    columns,
    accounts: usableAccounts,
    usualTargets,
    zone,
    origin,
    most,
  });
  if (posts.length > MAX_POSTS) {
    const message = `The file makes more than ${MAX_POSTS} posts, which one import takes. Split the file.`;
    throw new AppError(null, message);
  }
  const results = await resultsOf(ctx, posts, isDryRun);
  const rows = posts.map((post, i) => toRow(post, results[i]));
  return {
    dialect: columns.dialect.name,
    zone,
    columns: Object.fromEntries(
      columns.fields.flatMap((field, i) =>
        field === null ? [] : [[field, sheet.header[i] ?? ""]],
      ),
    ),
    ignoredColumns: sheet.header.filter((name, i) => name !== "" && columns.fields[i] === null),
    rows,
    created: countResults(results, ({ isRepeated }) => !isRepeated && !isDryRun),
    skipped: countResults(results, ({ isRepeated }) => isRepeated),
  };
}

type Accepted = Exclude<SeriesResult, RefusedPost>;

const countResults = (
  results: readonly (SeriesResult | null)[],
  counts: (accepted: Accepted) => boolean,
): number => results.filter((one) => one && !("errors" in one) && counts(one)).length;

/** Null for rows that name no account. */
async function resultsOf(
  ctx: Ctx,
  posts: readonly ImportedPost[],
  isDryRun: boolean,
): Promise<(SeriesResult | null)[]> {
  const keys = await sourceKeysOf(posts);
  const series = posts.map(({ account, post }, i) => {
    const sourceKey = keys[i];
    return account && sourceKey ? { sourceKey, accountId: account.id, post } : null;
  });
  const made = await createSeries(
    ctx,
    series.filter((one) => one !== null),
    { isDryRun },
  );
  const inOrder = made.values();
  return series.map((one) => (one ? (inOrder.next().value ?? null) : null));
}

/**
 * The names by which a later import finds the post: the row's `importId`, else a hash of the row's texts. Equal rows of one
 * file have a number each. Null for a row that names no account, and for an `importId` that stood above.
 */
async function sourceKeysOf(posts: readonly ImportedPost[]): Promise<(string | null)[]> {
  const hashes = await Promise.all(
    posts.map(({ importId, content }) => (importId === null ? sha256Hex(content) : null)),
  );
  const counts = new Map<string, number>();
  return posts.map(({ account, importId }, i) => {
    if (!account) return null;
    const key = `${importId === null ? hashes[i] : `id:${importId}`}:${account.id}`;
    const earlier = counts.get(key) ?? 0;
    counts.set(key, earlier + 1);
    if (earlier === 0) return key;
    return importId === null ? `${key}:${earlier}` : null;
  });
}

const REPEATED_ID = fieldError("importId", "stands above in the file, for the same account.");

function toRow(
  { row, account, post, notes }: ImportedPost,
  result: SeriesResult | null | undefined,
): ImportRow {
  const text = post.caption ?? post.description ?? post.title ?? "";
  const place = {
    row,
    accountId: account?.id ?? null,
    platform: account?.platform ?? null,
    text,
  };
  if (!result || "errors" in result) {
    const unmade = account ? [REPEATED_ID] : post.refused.fields;
    const errors = [...(result?.errors ?? unmade)];
    const nothing = { warnings: [], status: null, scheduledFor: post.scheduledFor, uploadId: null };
    return { ...place, valid: false, errors, ...nothing };
  }
  const { status, scheduledFor, uploadId, warnings, isRepeated } = result;
  return {
    ...place,
    valid: true,
    errors: [],
    warnings: isRepeated
      ? ["An earlier import made this post. It stays as it is."]
      : [...notes, ...warnings],
    status,
    scheduledFor,
    uploadId,
  };
}
