import { sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { type Listed, listed, prepared, preparedWrite } from "../../../db/client.ts";
import { instant, json } from "../../../db/columns.ts";
import { pickColumns, renamed, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { accounts } from "../../accounts/table.ts";
import { users } from "../../auth/table.ts";
import { domains } from "../../domains/table.ts";
import { uploads } from "../../posts/table.ts";
import { members, teams } from "../../teams/table.ts";
import { BACKUPS_SUBJECT, type NoticeName } from "../rules.ts";
import { type NoticeRow, notices } from "../table.ts";

export const isAnyDue = prepared(
  ({ by }: Params<{ by: Date }>) => sql`SELECT due_at FROM notices WHERE due_at <= ${by} LIMIT 1`,
  rowReader(pickColumns(notices, ["dueAt"])),
);

/** Other runs cannot take these notices before `until`. */
export const takeDue = prepared(
  ({ now, until, max }: Params<{ now: Date; until: Date; max: number }>) =>
    sql`UPDATE notices SET due_at = ${until} WHERE (due_at, subject, user_id, target_id) IN
      (SELECT due_at, subject, user_id, target_id FROM notices WHERE due_at <= ${now}
        ORDER BY due_at LIMIT ${max})
    RETURNING *`,
  rowReader(notices),
);

const keyOf = ({ dueAt, subject, userId, targetId }: NoticeRow) => [
  dueAt.getTime(),
  subject,
  userId,
  targetId,
];

export const insertNotices = listed(
  (row: NoticeRow) => [
    ...keyOf(row),
    row.channel,
    row.teamId,
    row.attempt,
    row.createdAt.getTime(),
  ],
  preparedWrite(
    ({ list }: Listed) => sql`INSERT OR IGNORE INTO notices
        (due_at, subject, user_id, target_id, channel, team_id, attempt, created_at)
      SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
        value ->> 7
      FROM json_each(${list})`,
  ),
);

export const endNotices = listed(
  keyOf,
  preparedWrite(
    ({ list }: Listed) => sql`DELETE FROM notices
      WHERE (due_at, subject, user_id, target_id) IN
        (SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(${list}))`,
  ),
);

export interface MovedNotice {
  row: NoticeRow;
  to: Date;
  attempt: number;
}

/** Skips notices that another run rescheduled or ended. */
export const moveNotices = listed(
  ({ row, to, attempt }: MovedNotice) => [...keyOf(row), to.getTime(), attempt],
  preparedWrite(
    ({ list }: Listed) => sql`UPDATE notices SET due_at = m.value ->> 4, attempt = m.value ->> 5
      FROM json_each(${list}) m
      WHERE notices.due_at = m.value ->> 0 AND notices.subject = m.value ->> 1
        AND notices.user_id = m.value ->> 2 AND notices.target_id = m.value ->> 3`,
  ),
);

/** The sender of the review link on which a client decided. */
const LINK_SENDER = sql`(SELECT l.created_by FROM review_posts p JOIN review_links l ON l.id = p.link_id
  WHERE p.team_id = u.team_id AND p.upload_id = u.id ORDER BY p.link_id DESC LIMIT 1)`;

const readPost = rowReader({
  ...pickColumns(uploads, ["teamId", "title", "description", "origin", "platform"]),
  subject: text("subject").notNull(),
  name: text("name").$type<NoticeName>().notNull(),
  data: json<Record<string, unknown>>("data").notNull(),
  actorId: integer("actor_id"),
  linkSenderId: integer("link_sender_id"),
  authorId: renamed(uploads.createdBy, "author_id"),
  uploadId: integer("upload_id").notNull(),
  accountName: renamed(accounts.accountName, "account_name"),
  zone: teams.zone,
});

export type PostEvent = ReturnType<typeof readPost>;

/** Without deleted posts. */
export const postEvents = prepared(
  ({ keys }: Params<{ keys: string }>) => sql`
    SELECT e.id AS subject, e.team_id, e.name, e.data, e.actor_id, ${LINK_SENDER} AS link_sender_id,
      u.created_by AS author_id, u.id AS upload_id, u.title, u.description, u.origin, u.platform,
      a.account_name, t.zone
    FROM json_each(${keys}) k
    CROSS JOIN events e ON e.team_id = k.value ->> 0 AND e.id = k.value ->> 1
    JOIN teams t ON t.id = e.team_id
    JOIN uploads u ON u.id = e.data ->> 'uploadId' AND u.team_id = e.team_id AND u.deleted_at IS NULL
    LEFT JOIN accounts a ON a.id = u.account_id`,
  readPost,
);

const readDisabled = rowReader({
  subject: text("subject").notNull(),
  teamId: integer("team_id").notNull(),
  webhookId: integer("webhook_id").notNull(),
  url: text("url").notNull(),
  team: teams.name,
});

export type DisabledWebhook = ReturnType<typeof readDisabled>;

export const disabledWebhooks = prepared(
  ({ keys }: Params<{ keys: string }>) => sql`
    SELECT k.value ->> 1 AS subject, w.team_id, w.id AS webhook_id, w.url, t.name
    FROM json_each(${keys}) k
    CROSS JOIN webhooks w ON w.id = CAST(substr(k.value ->> 1, 5) AS INTEGER) AND substr(k.value ->> 1, 1, 4) = 'whk_'
    JOIN teams t ON t.id = w.team_id
    WHERE w.deleted_at IS NULL AND w.is_active = 0`,
  readDisabled,
);

const readEnding = rowReader({
  subject: text("subject").notNull(),
  ...pickColumns(accounts, [
    "id",
    "teamId",
    "platform",
    "accountName",
    "loginEndsAt",
    "dataAccessEndsAt",
  ]),
});

export type EndingLogin = ReturnType<typeof readEnding>;

export const endingLogins = prepared(
  ({ keys }: Params<{ keys: string }>) => sql`
    SELECT a.id AS subject, a.id, a.team_id, a.platform, a.account_name,
      iif(a.ending_told_for = a.login_ends_at, a.login_ends_at, NULL) AS login_ends_at,
      iif(a.access_told_for = a.data_access_ends_at, a.data_access_ends_at, NULL)
        AS data_access_ends_at
    FROM json_each(${keys}) k
    CROSS JOIN accounts a ON a.id = k.value ->> 1 AND a.team_id = k.value ->> 0
    WHERE a.deleted_at IS NULL AND a.status = 'active'
      AND (a.ending_told_for = a.login_ends_at OR a.access_told_for = a.data_access_ends_at)`,
  readEnding,
);

const readEndingDomain = rowReader({
  subject: text("subject").notNull(),
  domainId: renamed(domains.id, "domain_id"),
  ...pickColumns(domains, ["teamId", "host", "txtName", "txtValue", "verifiedAt"]),
  team: teams.name,
});

export type EndingDomain = ReturnType<typeof readEndingDomain>;

export const endingDomains = prepared(
  ({ keys }: Params<{ keys: string }>) => sql`
    SELECT k.value ->> 1 AS subject, d.id AS domain_id, d.team_id, d.host, d.txt_name, d.txt_value,
      d.verified_at, t.name
    FROM json_each(${keys}) k
    CROSS JOIN domains d ON d.id = CAST(substr(k.value ->> 1, 5) AS INTEGER) AND substr(k.value ->> 1, 1, 4) = 'dom_'
    JOIN teams t ON t.id = d.team_id
    WHERE d.deleted_at IS NULL AND d.misses > 0`,
  readEndingDomain,
);

const readWaiting = rowReader({
  subject: text("subject").notNull(),
  teamId: integer("team_id").notNull(),
  pool: text("pool").notNull(),
  time: text("time").notNull(),
  zone: text("zone").notNull(),
  accountId: text("account_id").notNull(),
});

export type WaitingSlot = ReturnType<typeof readWaiting>;

export const waitingSlots = prepared(
  ({ keys }: Params<{ keys: string }>) => sql`
    SELECT k.value ->> 1 AS subject, s.team_id, p.name AS pool, s.time, p.timezone AS zone,
      s.account_ids ->> 0 AS account_id
    FROM json_each(${keys}) k
    CROSS JOIN pool_slots s ON s.id = CAST(substr(k.value ->> 1, 6) AS INTEGER)
      AND substr(k.value ->> 1, 1, 5) = 'slot_' AND s.team_id = k.value ->> 0
    JOIN pools p ON p.id = s.pool_id
    WHERE s.waiting_since IS NOT NULL AND s.account_ids <> '[]'`,
  readWaiting,
);

const readFilling = rowReader({
  subject: text("subject").notNull(),
  ...pickColumns(teams, ["ownerId"]),
  teamId: integer("team_id").notNull(),
  team: teams.name,
});

export type FillingDatabase = ReturnType<typeof readFilling>;

/** Notices to the owner of the instance. */
export const fillingDatabases = prepared(
  ({ keys }: Params<{ keys: string }>) => sql`
    SELECT k.value ->> 1 AS subject, t.owner_id, t.id AS team_id, t.name
    FROM json_each(${keys}) k CROSS JOIN teams t ON t.id = k.value ->> 0
    WHERE substr(k.value ->> 1, 1, 9) = 'database_'`,
  readFilling,
);

const readLate = rowReader({
  subject: text("subject").notNull(),
  teamId: integer("team_id").notNull(),
  team: teams.name,
  /** Null while none is finished. */
  finishedAt: instant("finished_at"),
  error: text("error"),
});

export type LateBackups = ReturnType<typeof readLate>;

export const lateBackups = prepared(
  ({ keys }: Params<{ keys: string }>) => sql`
    SELECT k.value ->> 1 AS subject, t.id AS team_id, t.name,
      (SELECT MAX(finished_at) FROM backups) AS finished_at,
      (SELECT error FROM backups ORDER BY id DESC LIMIT 1) AS error
    FROM json_each(${keys}) k CROSS JOIN teams t ON t.id = k.value ->> 0
    WHERE k.value ->> 1 = ${BACKUPS_SUBJECT}`,
  readLate,
);

/** Inserts a notice without recipients if the previous statement changed a row. */
export const noticeIfChanged = preparedWrite(
  ({ subject, teamId, now }: Params<{ subject: string; teamId: number; now: Date }>) =>
    sql`INSERT OR IGNORE INTO notices
        (due_at, subject, user_id, target_id, channel, team_id, created_at)
      SELECT ${now}, ${subject}, 0, 0, 'unaddressed', ${teamId}, ${now} WHERE changes() > 0`,
);

const readPerson = rowReader({
  ...pickColumns(members, ["teamId", "userId", "role"]),
  ...pickColumns(users, ["email", "notifications", "quietHours"]),
});

export type Person = ReturnType<typeof readPerson>;

export const peopleOf = prepared(
  ({ teamIds }: Params<{ teamIds: string }>) => sql`
    SELECT m.team_id, m.user_id, m.role, p.email, p.notifications, p.quiet_hours
    FROM json_each(${teamIds}) t
    CROSS JOIN members m ON m.team_id = t.value AND m.is_active = 1
    JOIN users p ON p.id = m.user_id`,
  readPerson,
);
