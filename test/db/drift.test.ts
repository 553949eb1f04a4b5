import { env } from "cloudflare:workers";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { chores } from "../../src/cron/table.ts";
import { accounts } from "../../src/features/accounts/table.ts";
import { activity } from "../../src/features/activity/table.ts";
import { analytics, analyticsPosts } from "../../src/features/analytics/table.ts";
import { archiveFiles, archiveMembers } from "../../src/features/archive/table.ts";
import { passkeys, sessions, tokens, users, verifications } from "../../src/features/auth/table.ts";
import { backupSlices, backups } from "../../src/features/backup/table.ts";
import { textBlocks } from "../../src/features/blocks/table.ts";
import { calendarFeeds } from "../../src/features/calendar/table.ts";
import { connectionLinks, consents } from "../../src/features/connect/table.ts";
import {
  creditBalances,
  creditLedger,
  creditPacks,
  creditPeriods,
} from "../../src/features/credits/table.ts";
import { domains } from "../../src/features/domains/table.ts";
import { draftFiles, drafts } from "../../src/features/drafts/table.ts";
import { events } from "../../src/features/events/table.ts";
import { feedEntries, feeds } from "../../src/features/feeds/table.ts";
import { databaseSizes } from "../../src/features/health/table.ts";
import { idempotency } from "../../src/features/idempotency/table.ts";
import {
  countedMessages,
  linkClicks,
  linkDays,
  shortLinks,
  slugOwners,
} from "../../src/features/links/table.ts";
import { media, mediaUses } from "../../src/features/media/table.ts";
import { notices, noticeTargets } from "../../src/features/notices/table.ts";
import {
  oauthAccess,
  oauthClients,
  oauthCodes,
  oauthDevices,
  oauthDocuments,
  oauthGrants,
  oauthRefresh,
  oauthRequests,
} from "../../src/features/oauth/table.ts";
import {
  poolFiles,
  poolFirings,
  poolItems,
  poolSlots,
  pools,
} from "../../src/features/pools/table.ts";
import { uploads } from "../../src/features/posts/table.ts";
import { presigns } from "../../src/features/presign/table.ts";
import { rehearsals } from "../../src/features/rehearsal/table.ts";
import { reports } from "../../src/features/reports/table.ts";
import { reviewLinks, reviewPosts } from "../../src/features/review/table.ts";
import { setupTicks } from "../../src/features/setup/table.ts";
import { suggestions } from "../../src/features/suggestions/table.ts";
import { inviteAddresses, invites, members, teams } from "../../src/features/teams/table.ts";
import { attempts, deliveries, webhooks } from "../../src/features/webhooks/table.ts";

const TABLES: SQLiteTable[] = [
  analytics,
  analyticsPosts,
  webhooks,
  deliveries,
  attempts,
  archiveFiles,
  archiveMembers,
  databaseSizes,
  idempotency,
  chores,
  backups,
  backupSlices,
  users,
  oauthAccess,
  oauthClients,
  oauthCodes,
  oauthDevices,
  oauthDocuments,
  oauthGrants,
  oauthRefresh,
  oauthRequests,
  tokens,
  teams,
  members,
  invites,
  inviteAddresses,
  sessions,
  verifications,
  passkeys,
  activity,
  suggestions,
  feeds,
  feedEntries,
  textBlocks,
  drafts,
  draftFiles,
  setupTicks,
  accounts,
  consents,
  reports,
  rehearsals,
  connectionLinks,
  media,
  mediaUses,
  presigns,
  calendarFeeds,
  reviewLinks,
  reviewPosts,
  noticeTargets,
  notices,
  pools,
  poolSlots,
  poolItems,
  poolFiles,
  poolFirings,
  uploads,
  events,
  creditPeriods,
  creditBalances,
  creditPacks,
  creditLedger,
  domains,
  shortLinks,
  slugOwners,
  countedMessages,
  linkClicks,
  linkDays,
];

interface ColumnInfo {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

test.each(TABLES.map((table) => [getTableConfig(table).name, table] as const))(
  "the migrated table %s is the one the code believes in",
  async (name, table) => {
    const { columns, primaryKeys } = getTableConfig(table);
    const composite = primaryKeys.flatMap((key) => key.columns.map((column) => column.name));
    const { results } = await env.DB.prepare(`PRAGMA table_info(${name})`).all<ColumnInfo>();
    const migrated = results.map(({ name, type, notnull, pk }) => ({
      name,
      type: type.toLowerCase(),
      // SQLite does not repeat what a key implies.
      notNull: notnull === 1 || pk > 0,
      primary: pk > 0,
    }));
    const believed = columns.map((column) => ({
      name: column.name,
      type: column.getSQLType(),
      notNull: column.notNull || column.primary,
      primary: column.primary || composite.includes(column.name),
    }));
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    expect(migrated.toSorted(byName)).toEqual(believed.toSorted(byName));
  },
);

test("every migrated table is known to the code and STRICT", async () => {
  const { results } = await env.DB.prepare("PRAGMA table_list").all<{
    name: string;
    schema: string;
    type: string;
    strict: number;
  }>();
  const own = results.filter(
    ({ name, schema, type }) =>
      schema === "main" && type === "table" && !/^(sqlite_|_cf_|d1_)/.test(name),
  );
  expect(own.map(({ name }) => name).toSorted()).toEqual(
    TABLES.map((table) => getTableConfig(table).name).toSorted(),
  );
  expect(own.filter(({ strict }) => strict !== 1)).toEqual([]);
});

/** Values that each column's CHECK allows, by `table.column`. */
async function checkedValues(): Promise<Record<string, string[]>> {
  const { results } = await env.DB.prepare(
    "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql LIKE '%CHECK%'",
  ).all<{ name: string; sql: string }>();
  return Object.fromEntries(
    results.flatMap(({ name, sql }) =>
      [...sql.matchAll(/CHECK \((\w+) IN \(([^)]*)\)\)/g)].map(([, column, list = ""]) => [
        `${name}.${column}`,
        list.split(", ").map((value) => value.slice(1, -1)),
      ]),
    ),
  );
}

test("a column has the same list of values in the database and in the code", async () => {
  const inCode = TABLES.flatMap((table) => {
    const { name, columns } = getTableConfig(table);
    return columns.flatMap((column) =>
      column.enumValues?.length ? [[`${name}.${column.name}`, column.enumValues]] : [],
    );
  });
  expect(inCode.length).toBeGreaterThan(9);
  expect(await checkedValues()).toEqual(Object.fromEntries(inCode));
});
