import { type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { prepared, type Query, sqlQuery, sqlWrite, withRowsWritten } from "../../db/client.ts";
import { rowReader, valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import { lineOf } from "../archive/repo.ts";
import { packIds } from "../archive/rules.ts";
import { type ArchiveFile, type ArchiveMember, archiveFiles } from "../archive/table.ts";
import { deletePosts } from "../posts/repo/write.ts";
import { uploads } from "../posts/table.ts";
import { teams } from "../teams/table.ts";

/** Where a night has come: behind this post of this team. */
export interface Place {
  team: number;
  /** Epoch ms. */
  at: number;
  id: number;
}

/** SQL condition: the post `u` has ended, and did so before `before`. Nothing works on it or shows it to a client. */
const hasEnded = (before: SQL, now: SQL): SQL =>
  sql`(u.status = 'completed' AND coalesce(u.unpublished_at, u.uploaded_at, u.sort_at) < ${before}
      OR u.status = 'failed' AND coalesce(u.failed_at, u.sort_at) < ${before})
    AND u.due_at IS NULL AND coalesce(u.lease_until, 0) <= ${now}
    AND coalesce(u.unpublish_lease_until, 0) <= ${now}
    AND NOT EXISTS (SELECT 1 FROM review_posts r WHERE r.team_id = u.team_id AND r.upload_id = u.id)`;

/** The newest post of the instance stays, so that its id is not given out again. */
const IS_NOT_NEWEST = sql`u.id < (SELECT MAX(id) FROM uploads)`;

interface Wanted extends Place {
  before: Date;
  now: Date;
  max: number;
  maxBytes: number;
}

const readPost = rowReader({
  id: uploads.id,
  sortAt: uploads.sortAt,
  line: text("line").notNull(),
});

export type EndedPost = ReturnType<typeof readPost>;

/** The team's oldest ended posts behind the place, as lines: at least one, and no more bytes than `maxBytes` else. */
export const endedPosts = prepared(
  ({ team, at, id, before, now, max, maxBytes }: Params<Wanted>) =>
    sql`SELECT id, sort_at, line FROM (
        SELECT id, sort_at, line, octet_length(line) AS own,
          SUM(octet_length(line)) OVER (ORDER BY sort_at, id) AS bytes FROM (
          SELECT u.id, u.sort_at, ${lineOf(sql`u`)} AS line FROM uploads u
          WHERE u.team_id = ${team} AND u.deleted_at IS NULL
            AND (u.sort_at, u.id) > (${at}, ${id}) AND u.sort_at < ${before}
            AND ${hasEnded(before, now)} AND ${IS_NOT_NEWEST}
          ORDER BY u.sort_at, u.id LIMIT ${max}))
      WHERE bytes <= ${maxBytes} OR bytes = own
      ORDER BY sort_at, id`,
  readPost,
);

/** The next team with posts that may have ended. */
export const teamBehind = prepared(
  ({ team, before }: Params<{ team: number; before: Date }>) =>
    sql`SELECT t.id FROM teams t WHERE t.id > ${team} AND t.deleted_at IS NULL
        AND (${hasPost("completed", before)} OR ${hasPost("failed", before)})
      ORDER BY t.id LIMIT 1`,
  valueReader(teams.id),
);

const hasPost = (status: string, before: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM uploads WHERE team_id = t.id AND deleted_at IS NULL
    AND status_group = ${sql.raw(`'${status}'`)} AND sort_at < ${before})`;

/** Begins a further file once the last one has this many bytes, because each member is put with all before it. */
const MAX_FILE_BYTES = 64_000_000;

/** From now on, only this run may add a member to the file. */
export const claimFile = (team: number, month: string) =>
  withRowsWritten(
    sqlQuery(
      sql`INSERT INTO archive_files (team_id, month, part, fence, size_bytes, posts)
        SELECT ${team}, ${month}, coalesce((SELECT part + (size_bytes >= ${MAX_FILE_BYTES})
          FROM archive_files WHERE team_id = ${team} AND month = ${month}
          ORDER BY part DESC LIMIT 1), 1), 1, 0, 0
        WHERE TRUE
        ON CONFLICT (team_id, month, part) DO UPDATE SET fence = fence + 1 RETURNING *`,
      rowReader(archiveFiles),
    ),
  );

export interface NewMember extends Pick<ArchiveMember, "sha256"> {
  file: ArchiveFile;
  posts: readonly EndedPost[];
  byteLength: number;
  before: Date;
  now: Date;
}

/**
 * Writes the member into the index and deletes its posts: all of it, or nothing when another run began to append, or a
 * post is no longer as its line has it. The first answer is 1 when it is done.
 */
export function storeMember(member: NewMember): Query<{ value: number; rowsWritten: number }>[] {
  const { file, posts, byteLength, sha256, before, now } = member;
  const { teamId, month, part, fence, sizeBytes } = file;
  const ids = posts.map(({ id }) => id).sort((a, b) => a - b);
  const instants = posts.map(({ sortAt }) => sortAt.getTime());
  const lines = JSON.stringify(posts.map(({ line }) => line));
  const rawBytes = new TextEncoder().encode(posts.map(({ line }) => line).join("\n")).length + 1;
  const areUnchanged = sql`(SELECT COUNT(*) FROM json_each(${lines}) l
    CROSS JOIN uploads u ON u.id = l.value ->> 'id' AND u.team_id = ${teamId}
    WHERE u.deleted_at IS NULL AND ${lineOf(sql`u`)} = l.value
      AND ${hasEnded(sql`${before.getTime()}`, sql`${now.getTime()}`)}) = ${posts.length}`;
  const isStored = sql`EXISTS (SELECT 1 FROM archive_members WHERE team_id = ${teamId}
    AND month = ${month} AND part = ${part} AND byte_offset = ${sizeBytes} AND sha256 = ${sha256})`;
  return [
    sqlWrite(sql`INSERT INTO archive_members (team_id, month, part, byte_offset, byte_length, raw_bytes,
        posts, first_id, last_id, first_at, last_at, ids, sha256)
      SELECT team_id, month, part, size_bytes, ${byteLength}, ${rawBytes}, ${posts.length},
        ${ids[0] ?? 0}, ${ids.at(-1) ?? 0}, ${Math.min(...instants)}, ${Math.max(...instants)},
        ${JSON.stringify(packIds(ids))}, ${sha256}
      FROM archive_files
      WHERE team_id = ${teamId} AND month = ${month} AND part = ${part} AND fence = ${fence}
        AND EXISTS (SELECT 1 FROM teams WHERE id = ${teamId} AND deleted_at IS NULL)
        AND ${areUnchanged}`),
    sqlWrite(sql`UPDATE archive_files SET size_bytes = size_bytes + ${byteLength},
        posts = posts + ${posts.length}
      WHERE team_id = ${teamId} AND month = ${month} AND part = ${part} AND changes() > 0`),
    ...deletePosts(teamId, ids, isStored),
  ].map(withRowsWritten);
}
