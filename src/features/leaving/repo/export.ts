import { type Column, getTableColumns, type SQL, sql, type Table } from "drizzle-orm";
import { sqlQuery } from "../../../db/client.ts";
import { pickColumns, rowReader } from "../../../db/rows.ts";
import { accounts } from "../../accounts/table.ts";
import { activity } from "../../activity/table.ts";
import { tokens, users } from "../../auth/table.ts";
import { textBlocks } from "../../blocks/table.ts";
import { creditLedger, creditPacks } from "../../credits/table.ts";
import { domains } from "../../domains/table.ts";
import { drafts } from "../../drafts/table.ts";
import { events } from "../../events/table.ts";
import { feeds } from "../../feeds/table.ts";
import { shortLinks } from "../../links/table.ts";
import { media } from "../../media/table.ts";
import { oauthClients, oauthGrants } from "../../oauth/table.ts";
import { poolFirings, poolItems, poolSlots, pools } from "../../pools/table.ts";
import { uploads } from "../../posts/table.ts";
import { rehearsals } from "../../rehearsal/table.ts";
import { reports } from "../../reports/table.ts";
import { suggestions } from "../../suggestions/table.ts";
import { invites, members, teams } from "../../teams/table.ts";
import { analyticsSection, measuredPostSection } from "./export-analytics.ts";
import { archivedSection, UPLOAD_PROPERTIES } from "./export-archive.ts";
import type { Key, LineType, Section, StoredSection } from "./section.ts";

const list = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `);

const names = (columns: readonly Column[]): SQL =>
  list(columns.map((column) => sql`${sql.identifier(column.name)}`));

const values = (key: Key): SQL => list(key.map((value) => sql`${value}`));

/** @param order columns to sort by, covered by an index that starts with the team */
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
    rows: (team, after, limit) =>
      sqlQuery(
        sql`SELECT ${all} FROM ${table} WHERE ${owner} = ${team} AND ${where}
          AND (${names(ordered)}) > (${values(after)}) ORDER BY ${names(ordered)} LIMIT ${limit}`,
        (row) => ({
          key: stored.map((name) => row[name] as string | number),
          data: read(row) as Record<string, unknown>,
        }),
      ),
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

const readProgram = rowReader({
  ...pickColumns(tokens, [
    "id",
    "userId",
    "name",
    "scopes",
    "createdAt",
    "lastUsedAt",
    "revokedAt",
  ]),
  ...pickColumns(oauthGrants, ["clientId", "clientKind", "clientHost", "resource", "accounts"]),
  ...pickColumns(oauthGrants, ["expiresAt", "idleAt"]),
});

/** Programs that people allowed in the team. */
const programSection: Section = {
  type: "program",
  start: [0],
  rows: (team, [after = 0], limit) =>
    sqlQuery(
      sql`SELECT g.*, t.user_id, t.name, t.scopes, t.created_at, t.last_used_at, t.revoked_at
        FROM tokens t JOIN oauth_grants g ON g.id = t.id
        WHERE t.team_id = ${team} AND t.id > ${after} ORDER BY t.id LIMIT ${limit}`,
      (row) => {
        const data = readProgram(row);
        return { key: [data.id], data };
      },
    ),
};

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
    rows: (team, [pool = 0, ...after], limit) =>
      sqlQuery(
        sql`SELECT ${all} FROM (SELECT t.* FROM pools p CROSS JOIN ${table} t ON t.pool_id = p.id
          WHERE p.team_id = ${team} AND p.id >= ${pool} AND p.deleted_at IS NULL
            AND (p.id > ${pool} OR (${keys}) > (${values(after)}))
          ORDER BY p.id, ${keys} LIMIT ${limit})`,
        (row) => ({
          key: ["pool_id", ...ordered].map((name) => row[name] as string | number),
          data: read(row) as Record<string, unknown>,
        }),
      ),
  };
}

const FIRST_TEXT = [""] as const;
const FIRST_NUMBER = [0] as const;
const isKept = sql`deleted_at IS NULL`;

/**
 * Excludes secrets, removed posts and removed accounts. A post rescheduled between pages can appear twice or not at
 * all.
 */
export const SECTIONS: readonly (Section | StoredSection)[] = [
  section(
    "team",
    teams,
    ["id"],
    FIRST_NUMBER,
    [
      "id",
      "name",
      "slug",
      "plan",
      "zone",
      "requiresApproval",
      "blocklist",
      "bannedHashtags",
      "quietHours",
      "createdAt",
    ],
    { owner: sql`id` },
  ),
  memberSection,
  section("invite", invites, ["id"], FIRST_NUMBER, [
    "id",
    "email",
    "role",
    "invitedBy",
    "createdAt",
    "expiresAt",
    "acceptedAt",
    "acceptedBy",
    "revokedAt",
  ]),
  section("token", tokens, ["id"], FIRST_NUMBER, [
    "id",
    "name",
    "hint",
    "userId",
    "scopes",
    "createdAt",
    "lastUsedAt",
    "lastUsedFrom",
    "agentUsedAt",
    "revokedAt",
  ]),
  programSection,
  section("app", oauthClients, ["id"], FIRST_TEXT, [
    "id",
    "name",
    "redirectUris",
    "authMethod",
    "createdBy",
    "createdAt",
    "usedAt",
  ]),
  section(
    "account",
    accounts,
    ["id"],
    FIRST_TEXT,
    [
      "id",
      "platform",
      "platformAccountId",
      "accountName",
      "handle",
      "profileImageUrl",
      "mode",
      "status",
      "tags",
      "service",
      "credentialsExpireAt",
      "connectedAt",
    ],
    { where: isKept },
  ),
  section("suggestion", suggestions, ["id"], FIRST_NUMBER, [
    "id",
    "userId",
    "title",
    "body",
    "status",
    "createdAt",
    "updatedAt",
  ]),
  section("block", textBlocks, ["name"], FIRST_TEXT, ["name", "kind", "text", "updatedAt"]),
  section("feed", feeds, ["id"], FIRST_NUMBER, [
    "id",
    "url",
    "accountIds",
    "template",
    "status",
    "takesPicture",
    "isActive",
    "createdBy",
    "createdAt",
  ]),
  section("draft", drafts, ["id"], FIRST_NUMBER, [
    "id",
    "createdBy",
    "content",
    "version",
    "updatedBy",
    "createdAt",
    "updatedAt",
  ]),
  section(
    "pool",
    pools,
    ["id"],
    FIRST_NUMBER,
    ["id", "name", "timezone", "isActive", "createdAt", "updatedAt"],
    { where: isKept },
  ),
  poolSection(
    "poolSlot",
    poolSlots,
    ["id"],
    ["id", "poolId", "time", "days", "accountIds", "nextAt", "lastAt", "createdAt"],
  ),
  poolSection(
    "poolItem",
    poolItems,
    ["id"],
    [
      "id",
      "poolId",
      "position",
      "state",
      "title",
      "description",
      "settings",
      "media",
      "addedBy",
      "slotId",
      "fireAt",
      "reason",
      "createdAt",
      "firstUploadId",
      "lastUploadId",
      "repeatDays",
      "repeatTimes",
      "variants",
      "dispatches",
    ],
  ),
  poolSection(
    "poolFiring",
    poolFirings,
    ["fireAt", "slotId"],
    [
      "poolId",
      "slotId",
      "fireAt",
      "localDay",
      "time",
      "timezone",
      "accountIds",
      "outcome",
      "itemId",
      "reason",
    ],
  ),
  section("upload", uploads, ["sortAt", "id"], [0, 0], UPLOAD_PROPERTIES, { where: isKept }),
  archivedSection,
  section("file", media, ["sha256"], FIRST_TEXT, [
    "sha256",
    "kind",
    "mime",
    "sizeBytes",
    "width",
    "height",
    "name",
    "createdAt",
    "keptAt",
  ]),
  section("creditPack", creditPacks, ["id"], FIRST_TEXT, [
    "id",
    "name",
    "credits",
    "grantedAt",
    "refundedAt",
  ]),
  section(
    "creditMovement",
    creditLedger,
    ["reference", "kind"],
    ["", ""],
    ["reference", "kind", "period", "included", "purchased", "at"],
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
      "id",
      "domainId",
      "slug",
      "destination",
      "clicks",
      "isActive",
      "useDeeplink",
      "botProtection",
      "safeUrl",
      "title",
      "description",
      "imageUrl",
      "rules",
      "createdBy",
      "createdAt",
      "updatedAt",
    ],
    { where: isKept },
  ),
  analyticsSection,
  measuredPostSection,
  section("report", reports, ["id"], FIRST_NUMBER, [
    "id",
    "createdBy",
    "createdAt",
    "expiresAt",
    "title",
    "filter",
    "lastDay",
  ]),
  section("rehearsal", rehearsals, ["id"], FIRST_NUMBER, [
    "id",
    "accountId",
    "platform",
    "text",
    "stage",
    "outcome",
    "platformPostId",
    "shareUrl",
    "message",
    "createdAt",
    "updatedAt",
  ]),
  section("activity", activity, ["id"], FIRST_TEXT, [
    "id",
    "at",
    "actorKind",
    "actorId",
    "actorName",
    "action",
    "subjectKind",
    "subjectId",
  ]),
  section("event", events, ["id"], FIRST_TEXT, ["id", "name", "data", "createdAt"]),
];
