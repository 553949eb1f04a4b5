import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { prepared, preparedWrite, type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { teams } from "../../teams/table.ts";
import { MAX_BROWSERS } from "../rules.ts";
import { noticeTargets, type TargetRow } from "../table.ts";

const readTarget = rowReader(noticeTargets);

const readQuietTarget = rowReader({
  ...getTableColumns(noticeTargets),
  quietHours: teams.quietHours,
});

/** A team's chat has the team's quiet hours. */
export type QuietTarget = ReturnType<typeof readQuietTarget>;

/** A member of several teams appears several times, with the same targets. */
export const targetsOf = prepared(
  ({ teamIds }: Params<{ teamIds: string }>) => sql`
    SELECT n.*, NULL AS quiet_hours FROM json_each(${teamIds}) t
      CROSS JOIN members m ON m.team_id = t.value AND m.is_active = 1
      CROSS JOIN notice_targets n ON n.user_id = m.user_id AND n.team_id = 0
    UNION ALL SELECT n.*, team.quiet_hours FROM json_each(${teamIds}) t
      CROSS JOIN notice_targets n ON n.user_id = 0 AND n.team_id = t.value
      JOIN teams team ON team.id = n.team_id`,
  readQuietTarget,
);

const SHOWN = pickColumns(noticeTargets, ["id", "teamId", "label", "error", "createdAt"]);
const readShown = rowReader(SHOWN);

export type ShownTarget = ReturnType<typeof readShown>;

export const browsersOf = prepared(
  ({ user }: Params<{ user: SQL }>) => sql`
    SELECT id, team_id, label, error, created_at FROM notice_targets
    WHERE user_id = ${user} AND team_id = 0 AND channel = 'push' ORDER BY id DESC`,
  readShown,
);

export const chatsOf = prepared(
  ({ team, user }: Params<{ team: SQL; user: SQL }>) => sql`
    SELECT id, team_id, label, error, created_at FROM notice_targets
    WHERE channel = 'messaging' AND ((user_id = ${user} AND team_id = 0) OR (user_id = 0 AND team_id = ${team}))`,
  readShown,
);

type NewTarget = Pick<TargetRow, "sealed" | "label" | "createdAt">;

const readId = valueReader(noticeTargets.id);

/**
 * Stores a person's browser, even if it was another person's, and removes the oldest above `MAX_BROWSERS`. The first
 * statement returns the id.
 */
export const storeBrowser = (
  userId: number,
  { sealed, label, createdAt, digest }: NewTarget & { digest: string },
): [Query<number[]>, Query<number>] => [
  sqlQuery(
    sql`INSERT INTO notice_targets (team_id, user_id, channel, digest, sealed, label, created_at)
      VALUES (0, ${userId}, 'push', ${digest}, ${sealed}, ${label}, ${createdAt.getTime()})
      ON CONFLICT (digest) WHERE digest IS NOT NULL DO UPDATE SET user_id = excluded.user_id,
        sealed = excluded.sealed, label = excluded.label, error = NULL,
        created_at = excluded.created_at
      RETURNING id`,
    readId,
  ),
  sqlWrite(sql`DELETE FROM notice_targets WHERE id IN (SELECT id FROM notice_targets
    WHERE user_id = ${userId} AND team_id = 0 AND channel = 'push'
    ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ${MAX_BROWSERS})`),
];

export const removeBrowser = preparedWrite(
  ({ user, id }: Params<{ user: number; id: number }>) => sql`DELETE FROM notice_targets
    WHERE id = ${id} AND user_id = ${user} AND team_id = 0 AND channel = 'push'`,
);

/** `teamId` is 0 for a person's chat, `userId` is 0 for a team's. */
type ChatOwner = Pick<TargetRow, "teamId" | "userId">;

export const storeChat = (
  { teamId, userId }: ChatOwner,
  { sealed, label, createdAt }: NewTarget,
): Query<number> =>
  sqlWrite(sql`INSERT INTO notice_targets (team_id, user_id, channel, sealed, label, created_at)
    VALUES (${teamId}, ${userId}, 'messaging', ${sealed}, ${label}, ${createdAt.getTime()})
    ON CONFLICT (team_id, user_id) WHERE channel = 'messaging' DO UPDATE SET
      sealed = excluded.sealed, label = excluded.label, error = NULL,
      created_at = excluded.created_at`);

export const removeChat = ({ teamId, userId }: ChatOwner): Query<number> =>
  sqlWrite(sql`DELETE FROM notice_targets
    WHERE team_id = ${teamId} AND user_id = ${userId} AND channel = 'messaging'`);

const ids = (list: readonly number[]) => JSON.stringify(list);

export const removeTargets = (list: readonly number[]): Query<number> =>
  sqlWrite(sql`DELETE FROM notice_targets WHERE id IN (SELECT value FROM json_each(${ids(list)}))`);

export const noteTaken = (list: readonly number[]): Query<number> =>
  sqlWrite(sql`UPDATE notice_targets SET error = NULL
    WHERE id IN (SELECT value FROM json_each(${ids(list)})) AND error IS NOT NULL`);

export const noteRefused = (list: readonly { id: number; error: string }[]): Query<number> =>
  sqlWrite(sql`UPDATE notice_targets SET error = r.value ->> 'error'
    FROM json_each(${JSON.stringify(list)}) r WHERE notice_targets.id = r.value ->> 'id'`);

export const sealedTargets = (after: number, max: number) =>
  sqlQuery(
    sql`SELECT * FROM notice_targets WHERE id > ${after} ORDER BY id LIMIT ${max}`,
    readTarget,
  );

/** Skips a secret that was changed meanwhile. */
export const replaceSealed = (
  { id, sealed }: Pick<TargetRow, "id" | "sealed">,
  fresh: string,
): Query<number> =>
  sqlWrite(
    sql`UPDATE notice_targets SET sealed = ${fresh} WHERE id = ${id} AND sealed = ${sealed}`,
  );
