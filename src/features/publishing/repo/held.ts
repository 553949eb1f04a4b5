import { sql } from "drizzle-orm";
import { type Db, type Query, sqlWrite } from "../../../db/client.ts";
import { runNamed } from "../../../db/named.ts";
import { insertMedia, mediaByHash } from "../../media/repo.ts";
import type { StoredFile } from "../../media/table.ts";
import { changeFacts, needFile } from "../../posts/repo/write.ts";
import type { UploadRow } from "../../posts/table.ts";

export type HeldChanges = Partial<
  Pick<UploadRow, "media" | "fileSize" | "dueAt" | "wokenAt" | "backoffs" | "crashes" | "fence">
>;

/** SQL condition: the post `u` is not approved yet, and no other run has taken its download. */
const isAsRead = ({ id, dueAt }: UploadRow) =>
  sql`u.id = ${id} AND u.status IN ('draft', 'pending_approval') AND u.deleted_at IS NULL
    AND u.due_at IS ${dueAt?.getTime() ?? null}`;

export const takeHeld = (post: UploadRow, until: Date): Query<number> =>
  sqlWrite(changeFacts({ dueAt: until, crashes: sql`u.crashes + 1` }, isAsRead(post)));

/** The new `fence` makes decisions on the older row fail. */
export async function saveHeld(
  db: Db,
  post: UploadRow,
  set: HeldChanges,
  file: StoredFile | null,
  now: Date,
): Promise<{ changed: number; objectKey: string | null }> {
  const { teamId } = post;
  const { changed, kept } = await runNamed(db, {
    changed: sqlWrite(changeFacts(set, isAsRead(post))),
    stored: file && insertMedia(teamId, [file], now),
    needed: file && needFile(post, file.sha256),
    kept: file && mediaByHash({ teamId, sha256: file.sha256 }),
  });
  return { changed, objectKey: kept?.[0]?.objectKey ?? null };
}
