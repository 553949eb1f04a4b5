import { type Column, getTableColumns, type SQL, sql, type Table } from "drizzle-orm";
import { sqlQuery } from "../../../db/client.ts";
import { pickColumns, rowReader } from "../../../db/rows.ts";
import { accounts } from "../../accounts/table.ts";
import { tokens, users } from "../../auth/table.ts";
import { creditLedger, creditPacks } from "../../credits/table.ts";
import { domains } from "../../domains/table.ts";
import { events } from "../../events/table.ts";
import { shortLinks } from "../../links/table.ts";
import { media } from "../../media/table.ts";
import { poolFirings, poolItems, poolSlots, pools } from "../../pools/table.ts";
import { uploads } from "../../posts/table.ts";
import { suggestions } from "../../suggestions/table.ts";
import { invites, members, teams } from "../../teams/table.ts";
import { analyticsSection, measuredPostSection } from "./export-analytics.ts";
import type { Key, LineType, Section } from "./section.ts";

const names = (columns: readonly Column[]): SQL =>
  sql.join(
    columns.map((column) => sql`${sql.identifier(column.name)}`),
    sql`, `,
  );

/**
 * Describes a section of the rows of one table.
 *
 * @param order the properties that order them, which an index of the team has
 * @param shown the properties that are exported
 */
function section<T extends Table, K extends keyof T["_"]["columns"] & string>(
  type: LineType,
  table: T,
  order: readonly K[],
  start: Key,
  shown: readonly K[],
  { where = sql`TRUE`, owner = sql`team_id` }: { where?: SQL; owner?: SQL } = {},
): Section {
  const ordered = Object.values<Column>(pickColumns(table, order));
  const stored = ordered.map(({ name }) => name);
  const columns = pickColumns(table, shown);
  const read = rowReader(columns);
  const all = names(Object.values<Column>(getTableColumns(table)));
  return {
    type,
    start,
    rows: (team, after, limit) => {
      const values = sql.join(
        after.map((value) => sql`${value}`),
        sql`, `,
      );
      return sqlQuery(
        sql`SELECT ${all} FROM ${table} WHERE ${owner} = ${team} AND ${where}
          AND (${names(ordered)}) > (${values}) ORDER BY ${names(ordered)} LIMIT ${limit}`,
        (row) => ({
          key: stored.map((name) => row[name] as string | number),
          data: read(row) as Record<string, unknown>,
        }),
      );
    },
  };
}

const readMember = rowReader({
  ...pickColumns(members, ["userId", "role", "isActive", "joinedAt"]),
  ...pickColumns(users, ["email", "name"]),
});

const memberSection: Section = {
  type: "member",
  start: [0],
  rows: (team, [after = 0], limit) =>
    sqlQuery(
      sql`SELECT m.user_id, m.role, m.is_active, m.joined_at, u.email, u.name
        FROM members m JOIN users u ON u.id = m.user_id
        WHERE m.team_id = ${team} AND m.user_id > ${after} ORDER BY m.user_id LIMIT ${limit}`,
      (row) => {
        const data = readMember(row);
        return { key: [data.userId], data };
      },
    ),
};

/**
 * Describes a section of the rows of a table that belong to pools, in the order of those.
 *
 * @param order as in `section`, behind the pool
 */
function poolSection<T extends Table, K extends keyof T["_"]["columns"] & string>(
  type: LineType,
  table: T,
  order: readonly K[],
  shown: readonly K[],
): Section {
  const ordered = Object.values<Column>(pickColumns(table, order)).map(({ name }) => name);
  const read = rowReader(pickColumns(table, shown));
  const all = names(Object.values<Column>(getTableColumns(table)));
  const keys = sql.raw(ordered.map((name) => `t.${name}`).join(", "));
  return {
    type,
    start: [0, ...order.map(() => 0)],
    rows: (team, [pool = 0, ...after], limit) => {
      const values = sql.join(
        after.map((value) => sql`${value}`),
        sql`, `,
      );
      return sqlQuery(
        sql`SELECT ${all} FROM (SELECT t.* FROM pools p CROSS JOIN ${table} t ON t.pool_id = p.id
          WHERE p.team_id = ${team} AND p.id >= ${pool} AND p.deleted_at IS NULL
            AND (p.id > ${pool} OR (${keys}) > (${values}))
          ORDER BY p.id, ${keys} LIMIT ${limit})`,
        (row) => ({
          key: ["pool_id", ...ordered].map((name) => row[name] as string | number),
          data: read(row) as Record<string, unknown>,
        }),
      );
    },
  };
}

const FIRST_TEXT = [""] as const;
const FIRST_NUMBER = [0] as const;
const isKept = sql`deleted_at IS NULL`;

/**
 * All that a team has, without secrets. Uploads stand in the order of their lists, to which new ones are
 * added behind all that have been due: one that is moved to another date while pages are read can come twice
 * or not at all. Removed posts and accounts are not exported.
 */
export const SECTIONS: readonly Section[] = [
  section(
    "team",
    teams,
    ["id"],
    FIRST_NUMBER,
    [
      ...(["id", "name", "slug", "plan", "zone", "requiresApproval"] as const),
      ...(["blocklist", "bannedHashtags", "createdAt"] as const),
    ],
    { owner: sql`id` },
  ),
  memberSection,
  section("invite", invites, ["id"], FIRST_NUMBER, [
    ...(["id", "email", "role", "invitedBy", "createdAt"] as const),
    ...(["expiresAt", "acceptedAt", "acceptedBy", "revokedAt"] as const),
  ]),
  section("token", tokens, ["id"], FIRST_NUMBER, [
    ...(["id", "name", "hint", "userId", "scopes"] as const),
    ...(["createdAt", "lastUsedAt", "revokedAt"] as const),
  ]),
  section(
    "account",
    accounts,
    ["id"],
    FIRST_TEXT,
    [
      ...(["id", "platform", "platformAccountId", "accountName", "handle"] as const),
      ...(["profileImageUrl", "mode", "status", "tags", "service"] as const),
      ...(["credentialsExpireAt", "connectedAt"] as const),
    ],
    { where: isKept },
  ),
  section("suggestion", suggestions, ["id"], FIRST_NUMBER, [
    ...(["id", "userId", "title", "body", "status", "createdAt", "updatedAt"] as const),
  ]),
  section(
    "pool",
    pools,
    ["id"],
    FIRST_NUMBER,
    [...(["id", "name", "timezone", "isActive", "createdAt", "updatedAt"] as const)],
    { where: isKept },
  ),
  poolSection(
    "poolSlot",
    poolSlots,
    ["id"],
    [...(["id", "poolId", "time", "days", "accountIds", "nextAt", "lastAt", "createdAt"] as const)],
  ),
  poolSection(
    "poolItem",
    poolItems,
    ["id"],
    [
      ...(["id", "poolId", "position", "state", "title", "description", "settings"] as const),
      ...(["media", "addedBy", "slotId", "fireAt", "reason", "createdAt"] as const),
      ...(["firstUploadId", "lastUploadId"] as const),
    ],
  ),
  poolSection(
    "poolFiring",
    poolFirings,
    ["fireAt", "slotId"],
    [
      ...(["poolId", "slotId", "fireAt", "localDay", "time", "timezone"] as const),
      ...(["accountIds", "outcome", "itemId", "reason"] as const),
    ],
  ),
  section(
    "upload",
    uploads,
    ["sortAt", "id"],
    [0, 0],
    [
      ...(["id", "accountId", "platform", "createdBy", "status", "title"] as const),
      ...(["description", "settings", "media", "fileSize", "scheduledFor"] as const),
      ...(["createdAt", "attempt", "uploadedAt", "failedAt", "failureCode"] as const),
      ...(["errorMessage", "metadata", "reviewComment", "sortAt"] as const),
      ...(["approvedBy", "approverId"] as const),
      ...(["creditsSpent", "creditsRefunded"] as const),
    ],
    { where: isKept },
  ),
  section("file", media, ["sha256"], FIRST_TEXT, [
    ...(["sha256", "kind", "mime", "sizeBytes", "width", "height", "createdAt"] as const),
  ]),
  section("creditPack", creditPacks, ["id"], FIRST_TEXT, [
    ...(["id", "name", "credits", "grantedAt", "refundedAt"] as const),
  ]),
  section(
    "creditMovement",
    creditLedger,
    ["reference", "kind"],
    ["", ""],
    [...(["reference", "kind", "period", "included", "purchased", "at"] as const)],
  ),
  section(
    "domain",
    domains,
    ["id"],
    FIRST_NUMBER,
    ["id", "host", "userId", "isShared", "verifiedAt", "createdAt"],
    { where: isKept },
  ),
  section(
    "shortLink",
    shortLinks,
    ["id"],
    FIRST_NUMBER,
    [
      ...(["id", "domainId", "slug", "destination", "clicks", "isActive", "useDeeplink"] as const),
      ...(["botProtection", "safeUrl", "title", "description", "imageUrl", "rules"] as const),
      ...(["createdBy", "createdAt", "updatedAt"] as const),
    ],
    { where: isKept },
  ),
  analyticsSection,
  measuredPostSection,
  section("event", events, ["id"], FIRST_TEXT, ["id", "name", "data", "createdAt"]),
];
