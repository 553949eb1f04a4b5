import { type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { prepared } from "../../db/client.ts";
import { type Batch, named } from "../../db/named.ts";
import { packedRows, rowReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import type { Deps } from "../../deps.ts";
import { type Claim, eachOnce, type RecentPost } from "../limits/content-rules.ts";
import { claimHolders, postsAround } from "../limits/repo/compared.ts";
import { accountFacts } from "../limits/repo/facts.ts";
import type { AccountFacts } from "../limits/rules.ts";
import { type MediaRow, packedFiles } from "../media/repo.ts";
import { type UploadRow, uploads } from "../posts/table.ts";

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

export interface DecisionFacts {
  posts: FoundPost[];
  accounts: AccountFacts[];
  /** Posts of the same accounts around the same times. */
  recent: RecentPost[];
}

/** Posts that one call compares. */
const MAX_COMPARED = 3_000;

export const postsToDecide = (
  _deps: Deps,
  team: SQL,
  ids: readonly number[],
): Batch<DecisionFacts> => {
  const { queries, read } = named({ posts: postsAmong({ team, ids: JSON.stringify(ids) }) });
  return { queries, read: (results) => ({ ...read(results), accounts: [], recent: [] }) };
};

/** @param claims posts that hold these claims are added to `recent` */
export function decisionFacts(
  deps: Deps,
  team: SQL,
  ids: readonly number[],
  claims: readonly Claim[] = [],
): Batch<DecisionFacts> {
  const list = JSON.stringify(ids);
  const accountIds = sql`(SELECT json_group_array(${ids.length > 1 ? sql`DISTINCT` : sql``} own.account_id)
    FROM json_each(${list}) wanted CROSS JOIN uploads own ON own.id = wanted.value
    WHERE own.team_id = ${team} AND own.deleted_at IS NULL)`;
  const max = Math.ceil(MAX_COMPARED / ids.length);
  const recent = ids.map((id) => postsAround(team, id, deps.now(), { max }));
  const { queries, read } = named({
    posts: postsAmong({ team, ids: list }),
    accounts: accountFacts(deps, team, accountIds),
    recent,
    holders: claims.map((claim) => claimHolders([claim])),
  });
  return {
    queries,
    read: (results) => {
      const { recent, holders, ...facts } = read(results);
      return { ...facts, recent: eachOnce([...recent, ...holders].flat()) };
    },
  };
}
