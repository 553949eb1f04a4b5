import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { DAY } from "../../../core/time.ts";
import { prepared, type Query, sqlQuery } from "../../../db/client.ts";
import { instant } from "../../../db/columns.ts";
import { packedRows, pickColumns, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { RepeatRule } from "../../../platforms/connector.ts";
import {
  COMPARED_WHOLE_BYTES,
  type RecentPost,
  SAMPLE_CHARACTERS,
} from "../create/content-rules.ts";
import { type UploadRow, uploads } from "../table.ts";

/** The text as it is compared: `textOf` in the database. */
const TEXT = sql`coalesce(u.title || char(10) || u.description, u.title, u.description, '')`;

/** `sampleOf` in the database. */
const SAMPLE = sql`iif(octet_length(${TEXT}) <= ${COMPARED_WHOLE_BYTES}, ${TEXT},
  substr(${TEXT}, 1, ${SAMPLE_CHARACTERS}) || substr(${TEXT}, -${SAMPLE_CHARACTERS}))`;

/** Posts of an account around a time: what is compared with a new post. Either may be a SQL value. */
interface Neighbourhood {
  accountId: string | SQL;
  at: Date | SQL;
  windowMs: number;
  /** Before and after the time, of each the nearest. */
  mostEach: number;
}

const RECENT = packedRows(
  {
    accountId: uploads.accountId,
    sample: text().notNull(),
    sizeBytes: integer().notNull(),
    digest: uploads.textDigest,
    media: uploads.media,
    at: uploads.sortAt,
  },
  {
    accountId: sql`u.account_id`,
    sample: SAMPLE,
    sizeBytes: sql`octet_length(${TEXT})`,
    digest: sql`u.text_digest`,
    media: sql`u.media`,
    at: sql`u.sort_at`,
  },
);

interface Window {
  team: SQL;
  accountId: string | SQL;
  from: number | SQL;
  at: number | SQL;
  to: number | SQL;
  most: number;
}

const recentOf = prepared(({ team, accountId, from, at, to, most }: Params<Window>) => {
  const side = (bounds: SQL, order: SQL) =>
    sql`SELECT * FROM (SELECT ${RECENT.column} FROM uploads u
        WHERE u.account_id = iif(${team} IS NULL, NULL, ${accountId})
          AND u.sort_at BETWEEN ${bounds} AND u.team_id = ${team} AND u.deleted_at IS NULL
          AND u.status_group IN ('scheduled', 'pending', 'completed')
        ORDER BY u.sort_at ${order} LIMIT ${most})`;
  return sql`${side(sql`${from} AND ${at}`, sql`DESC`)}
      UNION ALL ${side(sql`${at} + 1 AND ${to}`, sql`ASC`)}`;
}, RECENT.read);

/** Finds the posts of the account within the window before `at`, and those within the window after it. */
export function recentPosts(team: SQL, around: Neighbourhood): Query<RecentPost[]> {
  const { accountId, at, windowMs, mostEach: most } = around;
  const time = at instanceof Date ? at.getTime() : at;
  const shifted = (ms: number) => (typeof time === "number" ? time + ms : sql`${time} + ${ms}`);
  return recentOf({
    team,
    accountId,
    from: shifted(-windowMs),
    at: time,
    to: shifted(windowMs),
    most,
  });
}

/** More than an account publishes in that time. */
const MAX_COMPARED = 2_000;

const EARLIER = pickColumns(uploads, ["title", "description", "media"]);

const readEarlier = rowReader({ ...EARLIER, uploadedAt: instant("uploaded_at").notNull() });

/** A published post, as later ones are compared with it. */
export type EarlierPost = ReturnType<typeof readEarlier>;

/**
 * Finds what the account has published within the window, newest first, by when each post was last taken
 * up: never after it was out, and hardly before.
 */
export const earlierPosts = (
  { withinDays }: RepeatRule,
  { id, accountId }: UploadRow,
  now: Date,
): Query<EarlierPost[]> => {
  const since = now.getTime() - withinDays * DAY;
  return sqlQuery(
    sql`SELECT title, description, media, uploaded_at FROM uploads
      WHERE account_id = ${accountId} AND counted_at > ${since - DAY} AND uploaded_at > ${since}
        AND status = 'completed' AND id <> ${id} AND deleted_at IS NULL
      ORDER BY counted_at DESC LIMIT ${MAX_COMPARED}`,
    readEarlier,
  );
};
