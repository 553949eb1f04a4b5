import { sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { prepared } from "../../../db/client.ts";
import { packedRows, pickColumns, type RawRow } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { accounts } from "../../accounts/table.ts";
import { media } from "../../media/table.ts";
import { uploads } from "../../posts/table.ts";

const PROPERTIES = [
  ...(["id", "teamId", "accountId", "platform", "status", "title", "description"] as const),
  ...(["settings", "media", "scheduledFor", "failureCode", "metadata"] as const),
  ...(["reviewComment", "uploadedAt", "deletedAt", "parts"] as const),
] as const;

const post = packedRows(
  {
    ...pickColumns(uploads, PROPERTIES),
    accountName: text("account_name"),
    handle: text("handle"),
    picture: text("picture"),
  },
  {
    accountName: sql`a.account_name`,
    handle: sql`a.handle`,
    picture: sql`a.profile_image_url`,
  },
);

const fileColumns = pickColumns(media, ["sha256", "kind", "mime", "sizeBytes", "width", "height"]);
const FILE = packedRows(fileColumns);

export type ReviewFile = ReturnType<typeof FILE.read>;

const FILES = sql`(SELECT json_group_array(${FILE.value}) FROM json_each(uploads.media) item
  CROSS JOIN ${media} ON ${media.teamId} = uploads.team_id
    AND ${media.sha256} = item.value ->> 'sha256')`;

const readPost = (row: RawRow) => ({
  ...post.read(row),
  files: (JSON.parse(row.files as string) as unknown[][][]).map(FILE.unpack),
});

export type ReviewPost = ReturnType<typeof readPost>;

/** In the link's order, with removed posts. */
export const postsOfLink = prepared(
  ({ id, now }: Params<{ id: number; now: Date }>) =>
    sql`SELECT ${post.column}, ${FILES} AS files
      FROM review_links l CROSS JOIN json_each(l.upload_ids) wanted
        CROSS JOIN ${uploads} ON uploads.id = wanted.value AND uploads.team_id = l.team_id
        LEFT JOIN ${accounts} a ON a.id = uploads.account_id
      WHERE l.id = ${id} AND l.expires_at > ${now} ORDER BY wanted.key`,
  readPost,
);
