import { type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { prepared } from "../../../db/client.ts";
import { type Batch, named } from "../../../db/named.ts";
import { packedRows, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { Deps } from "../../../deps.ts";
import { type MediaRow, packedFiles } from "../../media/repo.ts";
import { DUPLICATE_WINDOW_MS, type RecentPost } from "../create/content-rules.ts";
import type { UploadRow } from "../table.ts";
import { uploads } from "../table.ts";
import { recentPosts } from "./compared.ts";
import { type AccountFacts, accountFacts } from "./facts.ts";

/** A post that is decided on, with its stored files. */
export interface FoundPost {
  upload: UploadRow;
  files: MediaRow[];
}

const UPLOAD = packedRows(uploads);
const readFiles = rowReader({ files: text("files").notNull() });

const postsAmong = prepared(
  ({ team, ids }: Params<{ team: SQL; ids: string }>) =>
    sql`SELECT ${UPLOAD.column}, ${packedFiles.value} AS files
      FROM json_each(${ids}) wanted CROSS JOIN uploads ON uploads.id = wanted.value
      WHERE uploads.team_id = ${team} AND uploads.deleted_at IS NULL`,
  (row): FoundPost => ({
    upload: UPLOAD.read(row),
    files: packedFiles.read(readFiles(row).files),
  }),
);

/** Facts that a decision on posts rests on. */
export interface DecisionFacts {
  posts: FoundPost[];
  /** The posts' accounts, as far as they are connected. */
  accounts: AccountFacts[];
  /** Posts of these accounts around the times of the posts that are decided on. */
  recent: RecentPost[];
}

/** Posts with which each one is compared, before and after its time. */
const MAX_COMPARED = 3_000;
const MAX_COMPARED_PER_POST = 300;

/** A value of a post's row, where `condition` holds. */
const ofPost = (id: number, value: SQL, condition: SQL = sql`TRUE`): SQL =>
  sql`(SELECT ${value} FROM uploads own WHERE own.id = ${id} AND ${condition})`;

/** Reads the posts alone, for a decision that judges none of them. */
export const postsToDecide = (
  _deps: Deps,
  team: SQL,
  ids: readonly number[],
): Batch<DecisionFacts> => {
  const { queries, read } = named({ posts: postsAmong({ team, ids: JSON.stringify(ids) }) });
  return { queries, read: (results) => ({ ...read(results), accounts: [], recent: [] }) };
};

/** Reads the posts and all that they are judged by, whatever their number. */
export function decisionFacts(deps: Deps, team: SQL, ids: readonly number[]): Batch<DecisionFacts> {
  const list = JSON.stringify(ids);
  const accountIds = sql`(SELECT json_group_array(${ids.length > 1 ? sql`DISTINCT` : sql``} own.account_id)
    FROM json_each(${list}) wanted CROSS JOIN uploads own ON own.id = wanted.value
    WHERE own.team_id = ${team} AND own.deleted_at IS NULL)`;
  const now = deps.now().getTime();
  const mostEach = Math.min(MAX_COMPARED_PER_POST, Math.ceil(MAX_COMPARED / ids.length));
  const recent = ids.map((id) =>
    recentPosts(team, {
      // Without an account of the team nothing is found, whatever the time.
      accountId: ofPost(id, sql`own.account_id`, sql`own.team_id = ${team}`),
      at: ofPost(id, sql`max(coalesce(own.scheduled_for, 0), ${now})`),
      windowMs: DUPLICATE_WINDOW_MS,
      mostEach,
    }),
  );
  const { queries, read } = named({
    posts: postsAmong({ team, ids: list }),
    accounts: accountFacts(deps, team, accountIds),
    recent,
  });
  return {
    queries,
    read: (results) => {
      const found = read(results);
      return { ...found, recent: found.recent.flat() };
    },
  };
}
