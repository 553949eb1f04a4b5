import { type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import type { QuietHours } from "../../core/quiet-hours.ts";
import { assignments } from "../../db/assignments.ts";
import { prepared, type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { OWNER_ID } from "../../db/open-accounts.ts";
import { pickColumns, rowReader, valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import { users } from "../auth/table.ts";
import { type Branding, teams } from "../teams/table.ts";
import type { SettingsChange } from "./schema.ts";

const readTeamSettings = rowReader(
  pickColumns(teams, [
    "slug",
    "zone",
    "requiresApproval",
    "branding",
    "blocklist",
    "bannedHashtags",
    "quietHours",
  ]),
);

export const settingsOfTeam = prepared(
  ({ team }: Params<{ team: SQL }>) =>
    sql`SELECT slug, zone, requires_approval, branding, blocklist, banned_hashtags, quiet_hours
      FROM teams WHERE id = ${team}`,
  readTeamSettings,
);

/** IANA zone; null for UTC. */
export const zoneOfTeam = prepared(
  ({ team }: Params<{ team: SQL }>) => sql`SELECT zone FROM teams WHERE id = ${team}`,
  valueReader(teams.zone),
);

/** #rrggbb in lower case; null for none. */
export const colorOfTeam = prepared(
  ({ team }: Params<{ team: SQL }>) =>
    sql`SELECT branding ->> '$.color' AS color FROM teams WHERE id = ${team}`,
  valueReader(text("color")),
);

export const zoneAndColorOfTeam = prepared(
  ({ team }: Params<{ team: SQL }>) =>
    sql`SELECT zone, branding ->> '$.color' AS color FROM teams WHERE id = ${team}`,
  rowReader({ zone: teams.zone, color: text("color") }),
);

export const notificationsOf = prepared(
  ({ user }: Params<{ user: SQL }>) =>
    sql`SELECT notifications, quiet_hours FROM users WHERE id = ${user}`,
  rowReader(pickColumns(users, ["notifications", "quietHours"])),
);

export const NO_BRANDING = {
  name: null,
  link: null,
  color: null,
  logo: null,
} satisfies Branding;

const BRANDING = sql`coalesce(branding, ${JSON.stringify(NO_BRANDING)})`;

/** Merges the change into stored JSON; null removes a key. */
const merged = (column: SQL, change: object | null): SQL | null =>
  change && sql`json_patch(coalesce(${column}, '{}'), ${JSON.stringify(change)})`;

export function updateSettings(
  team: SQL,
  { branding, zone, requireMemberApproval, blocklist, bannedHashtags }: SettingsChange,
  now: Date,
): Query<number> {
  const { name, link, color } = branding ?? {};
  const parts = [
    ...(name === undefined ? [] : [sql`'$.name', ${name}`]),
    ...(link === undefined ? [] : [sql`'$.link', ${link}`]),
    ...(color === undefined ? [] : [sql`'$.color', ${color}`]),
  ];
  const set = {
    ...(parts.length > 0 && { branding: sql`json_set(${BRANDING}, ${sql.join(parts, sql`, `)})` }),
    ...(zone !== undefined && { zone }),
    ...(requireMemberApproval !== undefined && { requiresApproval: requireMemberApproval }),
    ...(blocklist !== undefined && { blocklist: blocklist?.length ? blocklist : null }),
    ...(bannedHashtags !== undefined && {
      bannedHashtags: merged(sql`banned_hashtags`, bannedHashtags),
    }),
  };
  return sqlWrite(
    sql`UPDATE teams SET ${assignments(teams, { ...set, updatedAt: now })} WHERE id = ${team}`,
  );
}

export const updateLogo = (team: SQL, logo: Branding["logo"], now: Date): Query<number> =>
  sqlWrite(sql`UPDATE teams SET updated_at = ${now.getTime()},
      branding = json_set(${BRANDING}, '$.logo', json(${JSON.stringify(logo)}))
    WHERE id = ${team}`);

export const updateNotifications = (
  user: SQL,
  change: NonNullable<SettingsChange["notifications"]> | null,
): Query<number> =>
  sqlWrite(sql`UPDATE users SET notifications = ${merged(sql`notifications`, change)}
    WHERE id = ${user}`);

export const updateQuietHours = (
  { whose, id }: { whose: "users" | "teams"; id: SQL },
  hours: QuietHours | null,
): Query<number> =>
  sqlWrite(sql`UPDATE ${sql.identifier(whose)} SET quiet_hours = ${hours && JSON.stringify(hours)}
    WHERE id = ${id}`);

export const brandingOfOperator = (): Query<(Branding | null)[]> =>
  sqlQuery(
    sql`SELECT branding FROM teams WHERE owner_id = ${sql.raw(OWNER_ID)} AND deleted_at IS NULL`,
    valueReader(teams.branding),
  );
