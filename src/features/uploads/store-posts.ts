import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { type Query, sqlWrite } from "../../db/client.ts";
import type { Ctx } from "../../deps.ts";
import { emit } from "../events/emit.ts";
import { isNewCall, keepAnswer, type NamedCall } from "../idempotency/repo.ts";
import { insertMedia, objectsInUse } from "../media/repo.ts";
import type { StoredFile } from "../media/store.ts";
import type { NewRow } from "./compose.ts";
import { discardFiles, type ReceivedMedia } from "./intake.ts";
import { type UploadRow, uploads } from "./table.ts";
import { wakeOnTime, wakeTogether } from "./wake.ts";

/** What a repetition of the call is answered with; without one, nothing is remembered. */
export interface Remembered {
  call: NamedCall;
  fingerprint: string;
  answer: unknown;
}

const COLUMNS = Object.values(getTableColumns(uploads)).filter(({ name }) => name !== "id");
const COLUMN_NAMES = sql.raw(COLUMNS.map(({ name }) => name).join(", "));
const COLUMN_VALUES = sql.raw(COLUMNS.map((_, i) => `value ->> ${i}`).join(", "));
const PROPERTIES = Object.entries(getTableColumns(uploads)).filter(([key]) => key !== "id");

const toValues = (row: NewRow): unknown[] =>
  PROPERTIES.map(([property, column]) => {
    const value = row[property as keyof NewRow] ?? null;
    return value === null ? null : column.mapToDriverValue(value);
  });

/** All rows in one statement, their ids following each other in their order. Answers the last id. */
function insertUploads(
  rows: readonly NewRow[],
  condition: SQL,
): Query<{ last: number; count: number }> {
  const values = JSON.stringify(rows.map(toValues));
  const { sql: text, params } = sqlWrite(
    sql`INSERT INTO uploads (${COLUMN_NAMES}) SELECT ${COLUMN_VALUES} FROM json_each(${values})
      WHERE ${condition}`,
  );
  return {
    sql: text,
    params,
    read: ({ meta }) => ({ last: meta.last_row_id, count: meta.changes }),
  };
}

/** The id of the first of `count` uploads that the same batch has just inserted. */
const firstOf = (count: number): SQL => sql`last_insert_rowid() - ${count - 1}`;

/** Says that the uploads just inserted need each of the files. */
const insertMediaUses = (
  teamId: number,
  files: readonly StoredFile[],
  count: number,
  condition: SQL,
) =>
  sqlWrite(sql`INSERT OR IGNORE INTO media_uses (team_id, sha256, upload_id, posts)
    SELECT ${teamId}, value, ${firstOf(count)}, ${count}
    FROM json_each(${JSON.stringify(files.map(({ sha256 }) => sha256))}) WHERE ${condition}`);

/**
 * Files, posts, events and the answer to be remembered in one batch; then the wake-up calls, which may
 * get lost. Null when the call had been answered meanwhile, by whoever was faster: then nothing is
 * stored.
 */
export async function storePosts(
  ctx: Ctx,
  rows: readonly NewRow[],
  media: readonly ReceivedMedia[],
  remembered: Remembered | null,
): Promise<UploadRow[] | null> {
  const [first] = rows;
  if (!first) return [];
  const { teamId } = first;
  const now = ctx.now();
  const isNew = remembered ? isNewCall(teamId, remembered.call, now) : sql`TRUE`;
  const files = distinct(media.flatMap((item) => ("file" in item ? [item.file] : [])));
  const statements: Query<unknown>[] = [
    insertUploads(rows, isNew),
    ...files.map((file) => insertMedia(ctx.db, teamId, file, now)),
  ];
  if (files.length > 0) statements.push(insertMediaUses(teamId, files, rows.length, isNew));
  const firstId = firstOf(rows.length);
  for (const [i, row] of rows.entries()) {
    if (row.status !== "scheduled") continue;
    statements.push(emitPlanned(ctx, row, sql`${firstId} + ${i}`, isNew));
  }
  if (remembered) {
    const { call, fingerprint, answer } = remembered;
    const stored = { fingerprint, answer, firstUploadId: firstId };
    statements.push(keepAnswer(teamId, call, stored, now));
  }
  const [inserted, ...stored] = await ctx.db.runAll(statements).catch((error) => {
    ctx.defer(discardUnused(ctx, teamId, files));
    throw error;
  });
  const { last, count } = inserted as { last: number; count: number };
  if (count === 0) {
    ctx.defer(discardUnused(ctx, teamId, files));
    return null;
  }
  const known = media.filter((item) => "file" in item && stored[files.indexOf(item.file)] !== 1);
  ctx.defer(discardFiles(ctx, known));
  const created = rows.map((row, i) => ({ ...row, id: last - rows.length + 1 + i }));
  await wakeAll(ctx, created);
  return created;
}

const emitPlanned = (ctx: Ctx, row: NewRow, uploadId: SQL, condition: SQL): Query<number> =>
  emit(
    ctx,
    {
      team: row.teamId,
      name: "upload.scheduled",
      data: {
        uploadId,
        platform: row.platform,
        accountId: row.accountId,
        scheduledFor: row.scheduledFor?.toISOString(),
      },
    },
    condition,
  );

/** Of one content sent several times, one. */
const distinct = (files: readonly StoredFile[]): StoredFile[] => [
  ...new Map(files.map((file) => [file.sha256, file])).values(),
];

/** Source: Queues, "Limits": messages per sendBatch. */
const MESSAGES_PER_SEND = 100;

async function wakeAll(ctx: Ctx, created: readonly UploadRow[]): Promise<void> {
  const due = created.filter(({ wokenAt }) => wokenAt !== null);
  const [only] = due;
  if (!only?.wokenAt) return;
  if (due.length === 1) return wakeOnTime(ctx, only.id, only.wokenAt);
  for (let i = 0; i < due.length; i += MESSAGES_PER_SEND) {
    const ids = due.slice(i, i + MESSAGES_PER_SEND).map(({ id }) => id);
    await wakeTogether(ctx, ids, only.wokenAt);
  }
}

/** After a write whose answer was lost: what it stored stays, and what it did not goes. */
async function discardUnused(ctx: Ctx, teamId: number, files: StoredFile[]): Promise<void> {
  if (files.length === 0) return;
  const keys = files.map(({ objectKey }) => objectKey);
  const [used] = await ctx.db.run([objectsInUse(teamId, keys)]);
  const unused = keys.filter((key) => !used.includes(key));
  if (unused.length > 0) await ctx.media.delete(unused);
}
