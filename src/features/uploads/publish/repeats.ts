import { sql } from "drizzle-orm";
import { DAY } from "../../../core/time.ts";
import { type Query, sqlQuery } from "../../../db/client.ts";
import type { RepeatRule } from "../../../platforms/connector.ts";
import { essence } from "../create/content-rules.ts";
import type { MediaRef, UploadRow } from "../table.ts";

const MIN_LETTERS = 20;
/** More than an account publishes in that time. */
const MAX_COMPARED = 2_000;

/** A post as it is compared. */
export interface ComparedPost {
  title: string | null;
  description: string | null;
  media: MediaRef[];
}

export interface EarlierPost extends ComparedPost {
  uploadedAt: Date;
}

/**
 * The posts that the account has published within the window, newest first. They are found by when they
 * were last taken up, which is never after they were out and hardly before.
 */
export const earlierPosts = (
  { withinDays }: RepeatRule,
  { id, accountId }: UploadRow,
  now: Date,
): Query<EarlierPost[]> => {
  const since = now.getTime() - withinDays * DAY;
  return sqlQuery(
    sql`SELECT title, description, media, uploaded_at FROM uploads
      WHERE account_id = ${accountId} AND counted_at > ${since - DAY} AND uploaded_at > ${since}
        AND status = 'completed' AND id <> ${id} AND deleted_at IS NULL
      ORDER BY counted_at DESC LIMIT ${MAX_COMPARED}`,
    (row) => ({
      title: row.title as string | null,
      description: row.description as string | null,
      media: JSON.parse(row.media as string) as MediaRef[],
      uploadedAt: new Date(row.uploaded_at as number),
    }),
  );
};

const filesOf = ({ media }: ComparedPost): string[] =>
  media.flatMap((item) => ("sha256" in item && item.role === undefined ? [item.sha256] : []));

/**
 * Returns why the platform would take the post for a repetition: the letters and digits of its text, or a
 * file of it, are those of an earlier one. Null when it would not.
 */
export async function repeatRefusal(
  { refusal, reader }: RepeatRule,
  post: ComparedPost,
  earlier: readonly EarlierPost[],
): Promise<string | null> {
  const { textOf } = await reader();
  const text = essence(textOf(post));
  const isLong = [...text].length >= MIN_LETTERS;
  const files = new Set(filesOf(post));
  for (const other of earlier) {
    const what = filesOf(other).some((file) => files.has(file))
      ? "a file"
      : isLong && essence(textOf(other)) === text
        ? "the text"
        : null;
    if (what) {
      return `${refusal}: ${what} of this post was in one of ${other.uploadedAt.toISOString()}.`;
    }
  }
  return null;
}
