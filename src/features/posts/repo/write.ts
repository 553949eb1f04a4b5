import { type SQL, sql } from "drizzle-orm";
import { COMES_FROM, groupOf, type UploadStatus } from "../../../core/upload-status.ts";
import { type Assigned, assignments } from "../../../db/assignments.ts";
import { preparedWrite, type Query, sqlWrite } from "../../../db/client.ts";
import type { Params } from "../../../db/text.ts";
import type { Deps } from "../../../deps.ts";
import { emitIfChanged } from "../../events/repo.ts";
import { type UploadRow, uploads } from "../table.ts";

export type Changes = Assigned<typeof uploads>;

type Facts = Omit<Changes, "status" | "statusGroup">;

/** A new status also sets `statusGroup`. */
export type RowChanges = Facts & { status?: UploadStatus };

const updateUploads = (changes: Changes, where: SQL, source: SQL = sql``): SQL =>
  sql`UPDATE uploads AS u SET ${assignments(uploads, changes)} ${source} WHERE ${where}`;

export const changeFacts = (changes: Facts, where: SQL, source?: SQL): SQL =>
  updateUploads(changes, where, source);

type Target = UploadStatus | { when: SQL; becomes: UploadStatus; otherwise: UploadStatus };

const literal = (word: string): SQL => sql.raw(`'${word}'`);

/**
 * Changes the status of the posts `u` that match `where`. No other code writes the status of a stored post. `from`
 * defaults to every status that may precede `to`.
 */
export function moveUploads(
  { to, from }: { to: Target; from?: readonly UploadStatus[] },
  changes: Facts,
  where: SQL,
  source?: SQL,
): SQL {
  const targets = typeof to === "string" ? [to] : [to.becomes, to.otherwise];
  const sources = from ?? targets.flatMap((target) => COMES_FROM[target]);
  for (const target of targets) {
    const wrong = sources.find((status) => !COMES_FROM[target].includes(status));
    if (wrong) throw new Error(`No ${wrong} post becomes ${target}.`);
  }
  const wordFor = (wordOf: (status: UploadStatus) => string) =>
    typeof to === "string"
      ? literal(wordOf(to))
      : sql`iif(${to.when}, ${literal(wordOf(to.becomes))}, ${literal(wordOf(to.otherwise))})`;
  // An UPDATE that names an indexed column rewrites its index, even with the same value.
  const isSameGroup = new Set([...targets, ...sources].map(groupOf)).size === 1;
  const set: Changes = {
    status: wordFor((status) => status),
    ...(isSameGroup ? {} : { statusGroup: wordFor(groupOf) }),
    ...changes,
  };
  const isSource = sql`u.status IN (${sql.join(sources.map(literal), sql`, `)})`;
  return updateUploads(set, sql`${isSource} AND ${where}`, source);
}

type Read = Pick<UploadRow, "id" | "fence" | "status">;

type Values = Facts & { rowId: number; rowFence: number; condition: SQL };

const prepareChange = (from: UploadStatus, to: UploadStatus | undefined, properties: string[]) =>
  preparedWrite((values: Params<Values>) => {
    const facts = Object.fromEntries(
      properties.map((property) => [property, values[property as keyof Facts]]),
    );
    const where = sql`u.id = ${values.rowId} AND u.fence = ${values.rowFence} AND ${values.condition}`;
    return to === undefined
      ? changeFacts(facts, sql`u.status = ${literal(from)} AND ${where}`)
      : moveUploads({ from: [from], to }, facts, where);
  });

const changes = new Map<string, ReturnType<typeof prepareChange>>();

const ALWAYS = sql`TRUE`;

/**
 * Answers 0, and changes nothing, if the post's fence or status has changed since the read, or `condition` does not
 * hold.
 */
export function changeUpload(
  { id, fence, status: from }: Read,
  { status: to, ...facts }: RowChanges,
  condition: SQL = ALWAYS,
): Query<number> {
  const properties = Object.keys(facts);
  const name = [from, to, ...properties].join();
  const change = changes.get(name) ?? prepareChange(from, to, properties);
  changes.set(name, change);
  return change({ ...facts, rowId: id, rowFence: fence, condition });
}

/** No team has this id. */
const NO_TEAM = 0;

/** Inserts an empty row, so that new posts get ids that are higher by `count`. */
export const leapPostIds = (count: number, now: Date): Query<number> =>
  sqlWrite(sql`INSERT INTO uploads (id, team_id, account_id, platform, status, status_group, settings, media, sort_at,
      created_at, deleted_at)
    SELECT coalesce(MAX(id), 0) + ${count}, ${NO_TEAM}, '', 'bluesky', 'failed', 'failed', '{}', '[]',
      ${now.getTime()}, ${now.getTime()}, ${now.getTime()} FROM uploads`);

/**
 * Deletes up to `max` posts, and as many removed ones, of a deleted team. The instance's newest post stays as an empty
 * row, so that its id is never given out again.
 */
export function eraseUploads(team: number, max: number, now: Date): Query<number>[] {
  const emptied: Facts = {
    teamId: NO_TEAM,
    accountId: "",
    createdBy: null,
    origin: "",
    title: null,
    description: null,
    settings: {},
    media: [],
    metadata: null,
    errorMessage: null,
    reviewComment: null,
    approvedHash: null,
    textDigest: null,
    approvedBy: null,
    approverId: null,
    editedFields: null,
    correction: null,
    bookmark: null,
    scheduledFor: null,
    dueAt: null,
    countedAt: null,
    deletedAt: now,
  };
  const isLast = sql`u.id = (SELECT MAX(id) FROM uploads) AND u.team_id = ${team}`;
  const erase = (which: SQL) =>
    sqlWrite(sql`DELETE FROM uploads WHERE id IN
      (SELECT id FROM uploads WHERE team_id = ${team} AND deleted_at ${which} LIMIT ${max})`);
  return [sqlWrite(changeFacts(emptied, isLast)), erase(sql`IS NULL`), erase(sql`IS NOT NULL`)];
}

/** Deletes posts, and the uses of files by these posts alone. */
export function deletePosts(team: number, ids: readonly number[], condition: SQL): Query<number>[] {
  const areThese = sql`u.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  return [
    sqlWrite(sql`DELETE FROM media_uses AS x WHERE x.team_id = ${team}
      AND x.sha256 IN (SELECT item.value ->> 'sha256' FROM uploads u CROSS JOIN json_each(u.media) item
        WHERE ${areThese})
      AND NOT EXISTS (SELECT 1 FROM uploads u
        WHERE u.id BETWEEN x.upload_id AND x.upload_id + x.posts - 1 AND NOT ${areThese})
      AND ${condition}`),
    sqlWrite(
      sql`DELETE FROM uploads AS u WHERE ${areThese} AND u.team_id = ${team} AND ${condition}`,
    ),
  ];
}

/** Deletes rows of posts that were removed before then. The instance's newest post keeps its id taken. */
export const deleteRemoved = preparedWrite(
  ({ team, before, max }: Params<{ team: number; before: Date; max: number }>) =>
    sql`DELETE FROM uploads WHERE id IN (SELECT u.id FROM uploads u
      WHERE u.team_id = ${team} AND u.deleted_at IS NOT NULL AND u.deleted_at < ${before}
        AND u.id < (SELECT MAX(id) FROM uploads) LIMIT ${max})`,
);

export interface Lease {
  id: number;
  until: Date;
}

export const isPublishedAndFree = (id: number, now: Date): SQL =>
  sql`u.id = ${id} AND u.status = 'completed' AND u.deleted_at IS NULL
    AND u.unpublished_at IS NULL
    AND (u.unpublish_lease_until IS NULL OR u.unpublish_lease_until <= ${now.getTime()})`;

export const isHeld = ({ id, until }: Lease): SQL =>
  sql`u.id = ${id} AND u.unpublish_lease_until = ${until.getTime()}`;

/** Acts only if content and dates still equal `row`, no worker has the post, and `condition` holds. */
export function changeUnchanged(
  row: UploadRow,
  set: RowChanges,
  condition: SQL = sql`TRUE`,
): Query<number> {
  return changeUpload(
    row,
    set,
    sql`u.lease_until IS NULL AND u.deleted_at IS NULL
      AND u.title IS ${row.title} AND u.description IS ${row.description}
      AND u.scheduled_for IS ${row.scheduledFor?.getTime() ?? null}
      AND u.approved_hash IS ${row.approvedHash}
      AND ${set.media === undefined ? ALWAYS : sql`u.media IS ${JSON.stringify(row.media)}`}
      AND u.parts IS ${row.parts && JSON.stringify(row.parts)}
      AND u.edited_fields IS ${row.editedFields && JSON.stringify(row.editedFields)} AND ${condition}`,
  );
}

/** The `count` posts just inserted, from id `first` on, need each file. */
export const needFiles = (
  teamId: number,
  hashes: readonly string[],
  first: SQL,
  count: number,
): Query<number> =>
  sqlWrite(sql`INSERT INTO media_uses (team_id, sha256, upload_id, posts)
    SELECT ${teamId}, value, ${first}, ${count}
    FROM json_each(${JSON.stringify(hashes)}) WHERE changes() > 0`);

export const needFile = ({ id, teamId }: UploadRow, sha256: string): Query<number> =>
  sqlWrite(sql`INSERT OR IGNORE INTO media_uses (team_id, sha256, upload_id)
    VALUES (${teamId}, ${sha256}, ${id})`);

export const needAllFiles = (source: SQL, where: SQL): Query<number> =>
  sqlWrite(sql`INSERT OR IGNORE INTO media_uses (team_id, sha256, upload_id)
    SELECT u.team_id, item.value ->> 'sha256', u.id
    FROM ${source} CROSS JOIN json_each(u.media) item
    WHERE ${where} AND item.value ->> 'sha256' IS NOT NULL`);

/** A removed post no longer needs its files. Files shared by a batch stay until the batch's last post ends. */
export const forgetFiles = (id: number): Query<number> =>
  sqlWrite(sql`DELETE FROM media_uses WHERE posts = 1 AND (team_id, sha256, upload_id) IN
    (SELECT u.team_id, item.value ->> 'sha256', u.id
      FROM uploads u CROSS JOIN json_each(u.media) item
      WHERE u.id = ${id} AND u.deleted_at IS NOT NULL)`);

export const eraseUses = (team: number, max: number): Query<number> =>
  sqlWrite(sql`DELETE FROM media_uses WHERE (team_id, sha256, upload_id) IN
    (SELECT team_id, sha256, upload_id FROM media_uses WHERE team_id = ${team} LIMIT ${max})`);

export const emitScheduled = (
  deps: Pick<Deps, "newEventId" | "now">,
  { teamId, platform, accountId }: Pick<UploadRow, "teamId" | "platform" | "accountId">,
  uploadId: number | SQL,
  scheduledFor: Date,
): Query<number> =>
  emitIfChanged(deps, {
    team: teamId,
    name: "upload.scheduled",
    data: { uploadId, platform, accountId, scheduledFor: scheduledFor.toISOString() },
  });
