import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { DAY } from "../../../core/time.ts";
import { prepared, type Query, sqlQuery } from "../../../db/client.ts";
import { instant } from "../../../db/columns.ts";
import { packedRows, pickColumns, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { RepeatRule } from "../../../platforms/connector.ts";
import { type UploadRow, uploads } from "../../posts/table.ts";
import {
  type Claim,
  COMPARED_WHOLE_BYTES,
  DUPLICATE_WINDOW_MS,
  type RecentPost,
  SAMPLE_CHARACTERS,
} from "../content-rules.ts";

const TEXT = sql`coalesce(u.title || char(10) || u.description, u.title, u.description, '')`;

/** SQL for a sample of a post's text. */
const SAMPLE = sql`iif(octet_length(${TEXT}) <= ${COMPARED_WHOLE_BYTES}, ${TEXT},
  substr(${TEXT}, 1, ${SAMPLE_CHARACTERS}) || substr(${TEXT}, -${SAMPLE_CHARACTERS}))`;

interface Neighbourhood {
  accountId: string | SQL;
  at: Date | SQL;
  windowMs: number;
  /** The nearest posts: at most this many before `at`, and as many after. */
  mostEach: number;
}

const RECENT = packedRows(
  {
    id: uploads.id,
    accountId: uploads.accountId,
    sample: text().notNull(),
    sizeBytes: integer().notNull(),
    digest: uploads.textDigest,
    media: uploads.media,
    at: uploads.sortAt,
  },
  {
    id: sql`u.id`,
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
  max: number;
}

const recentOf = prepared(({ team, accountId, from, at, to, max }: Params<Window>) => {
  const side = (bounds: SQL, order: SQL) =>
    sql`SELECT * FROM (SELECT ${RECENT.column} FROM uploads u
        WHERE u.account_id = iif(${team} IS NULL, NULL, ${accountId})
          AND u.sort_at BETWEEN ${bounds} AND u.team_id = ${team} AND u.deleted_at IS NULL
          AND u.status_group IN ('scheduled', 'pending', 'completed')
        ORDER BY u.sort_at ${order} LIMIT ${max})`;
  return sql`${side(sql`${from} AND ${at}`, sql`DESC`)}
      UNION ALL ${side(sql`${at} + 1 AND ${to}`, sql`ASC`)}`;
}, RECENT.read);

export function recentPosts(team: SQL, around: Neighbourhood): Query<RecentPost[]> {
  const { accountId, at, windowMs, mostEach: max } = around;
  const time = at instanceof Date ? at.getTime() : at;
  const shifted = (ms: number) => (typeof time === "number" ? time + ms : sql`${time} + ${ms}`);
  return recentOf({
    team,
    accountId,
    from: shifted(-windowMs),
    at: time,
    to: shifted(windowMs),
    max,
  });
}

const MAX_COMPARED_PER_POST = 300;

const ofPost = (id: number, value: SQL, condition: SQL = sql`TRUE`): SQL =>
  sql`(SELECT ${value} FROM uploads own WHERE own.id = ${id} AND ${condition})`;

interface Around {
  /** Replaces the post's planned date in the comparison. */
  at?: Date | null;
  max?: number;
}

export const postsAround = (
  team: SQL,
  id: number,
  now: Date,
  { at, max = MAX_COMPARED_PER_POST }: Around = {},
): Query<RecentPost[]> =>
  recentPosts(team, {
    accountId: ofPost(id, sql`own.account_id`, sql`own.team_id = ${team}`),
    at: at ?? ofPost(id, sql`max(coalesce(own.scheduled_for, 0), ${now.getTime()})`),
    windowMs: DUPLICATE_WINDOW_MS,
    mostEach: Math.min(MAX_COMPARED_PER_POST, max),
  });

const CLAIM_KEY = sql`u.account_id || ' ' || (u.text_digest ->> 'hash') || ' ' || (u.text_digest ->> 'files')`;

interface Moment {
  accountId: string;
  at: Date;
}

/**
 * Published and waiting posts `u` of the accounts within the duplicate window around `at`. `account.value ->> 3` is the
 * moment's claim.
 */
const outAround = (moments: Iterable<Moment & Partial<Claim>>): SQL => {
  const windows = Array.from(moments, ({ accountId, at, key }) => {
    const [from, to] = [at.getTime() - DUPLICATE_WINDOW_MS, at.getTime() + DUPLICATE_WINDOW_MS];
    return JSON.stringify([accountId, from, to, key]);
  });
  return sql`FROM json_each(${`[${[...new Set(windows)].join()}]`}) account
      CROSS JOIN uploads u ON u.account_id = account.value ->> 0
      AND u.sort_at BETWEEN account.value ->> 1 AND account.value ->> 2
    WHERE u.deleted_at IS NULL AND u.status_group IN ('scheduled', 'pending', 'completed')`;
};

function claimed(claims: readonly Claim[]): SQL {
  const own = JSON.stringify(claims.flatMap(({ uploadId }) => uploadId ?? []));
  return sql`${outAround(claims)}
    AND ${CLAIM_KEY} = account.value ->> 3
    AND u.id NOT IN (SELECT value FROM json_each(${own}))`;
}

/** SQL condition: no other post holds one of the claims. */
export const areUnclaimed = (claims: readonly Claim[]): SQL =>
  claims.length === 0 ? sql`TRUE` : sql`NOT EXISTS (SELECT 1 ${claimed(claims)})`;

/** A subquery for `IN`: claim keys that the accounts' posts hold around a time. */
export const heldKeys = (accountIds: Iterable<string>, at: Date): SQL =>
  sql`(SELECT ${CLAIM_KEY} ${outAround(Array.from(accountIds, (accountId) => ({ accountId, at })))} AND ${CLAIM_KEY} IS NOT NULL)`;

export const claimHolders = (claims: readonly Claim[]): Query<RecentPost[]> =>
  sqlQuery(sql`SELECT ${RECENT.column} ${claimed(claims)}`, RECENT.read);

/** More than an account publishes within a platform's repeat window. */
const MAX_COMPARED = 2_000;

const EARLIER = pickColumns(uploads, ["id", "title", "description", "media"]);

const readEarlier = rowReader({ ...EARLIER, uploadedAt: instant("uploaded_at") });

/** `uploadedAt`: null while the post is being published. */
export type EarlierPost = ReturnType<typeof readEarlier>;

/** Newest first by the start of publishing, which precedes `uploaded_at` by at most a day. */
export const earlierPosts = (
  { withinDays }: RepeatRule,
  { id, accountId }: Pick<UploadRow, "id" | "accountId">,
  now: Date,
): Query<EarlierPost[]> => {
  const since = now.getTime() - withinDays * DAY;
  return sqlQuery(
    sql`SELECT id, title, description, media, uploaded_at FROM uploads
      WHERE account_id = ${accountId} AND counted_at > ${since - DAY} AND uploaded_at > ${since}
        AND status = 'completed' AND id <> ${id} AND deleted_at IS NULL
      ORDER BY counted_at DESC LIMIT ${MAX_COMPARED}`,
    readEarlier,
  );
};

export const paidPosts = ({ id, teamId, accountId }: UploadRow): Query<EarlierPost[]> =>
  sqlQuery(
    sql`SELECT id, title, description, media, uploaded_at FROM uploads
      WHERE team_id = ${teamId} AND status_group = 'pending' AND deleted_at IS NULL
        AND account_id = ${accountId} AND id <> ${id}
        AND credits_spent > coalesce(credits_refunded, 0)`,
    readEarlier,
  );
