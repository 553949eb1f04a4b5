import { now } from "../../core/clock.ts";
import { DAY } from "../../core/time.ts";
import { pullFile, sealFile } from "../kit/files.ts";
import { deliver } from "../kit/simulator.ts";
import { type GraphCall, GraphError, mediaError } from "../meta/graph.ts";
import { isReachable, newDigits, readFlag, requireKnown } from "./call.ts";
import { authenticate, type Page } from "./pages.ts";
import { checkMessage, savePost } from "./posts.ts";
import { refuseAsSteered, steer } from "./steering.ts";

export const PHOTOS_SCHEMA = `
CREATE TABLE IF NOT EXISTS facebook_photos (
  id TEXT PRIMARY KEY,
  team_id INTEGER NOT NULL,
  page_id TEXT NOT NULL,
  file_id INTEGER NOT NULL,
  received TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  published INTEGER NOT NULL DEFAULT 0
);
`;

/** Bytes. Source: Meta, "Page Photos". */
const MAX_PHOTO_BYTES = 4_000_000;
/** BMP and TIFF as well, which nothing here can tell. Source: Meta, "Page Photos". */
const PHOTO_TYPES = ["image/jpeg", "image/png", "image/gif"];
/** How long a photo that is attached to nothing is kept. */
const STAGED_MS = DAY;

export interface Photo {
  id: string;
  fileId: number;
  received: Record<string, string>;
  isPublished: boolean;
}

type PhotoRow = { id: string; file_id: number; received: string; published: number };

/** A photo of the Page, or null: others are not to be seen. */
export function findPhoto({ store, origin }: GraphCall, page: Page, id: string): Photo | null {
  const [row] = store.sql
    .exec<PhotoRow>(
      `SELECT id, file_id, received, published FROM facebook_photos
       WHERE id = ? AND team_id = ? AND page_id = ? AND (published = 1 OR created_at > ?)`,
      id,
      origin.teamId,
      page.id,
      now().getTime() - STAGED_MS,
    )
    .toArray();
  return row
    ? {
        id: row.id,
        fileId: row.file_id,
        received: JSON.parse(row.received),
        isPublished: row.published === 1,
      }
    : null;
}

/** Says of photos that they are in a post. */
export function attach({ store }: GraphCall, photos: Photo[]): void {
  for (const { id } of photos) {
    store.sql.exec("UPDATE facebook_photos SET published = 1 WHERE id = ?", id);
  }
}

function insertPhoto(call: GraphCall, page: Page, fileId: number): Photo {
  const { store, origin, params } = call;
  const photo: Photo = {
    id: newDigits(15),
    fileId,
    received: Object.fromEntries(params),
    isPublished: false,
  };
  store.sql.exec(
    `INSERT INTO facebook_photos (id, team_id, page_id, file_id, received, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    photo.id,
    origin.teamId,
    page.id,
    fileId,
    JSON.stringify(photo.received),
    now().getTime(),
  );
  return photo;
}

const unreachable = (): GraphError =>
  mediaError(100, 1609005, "The photo could not be fetched from this URL.");

const badPhoto = (): GraphError =>
  mediaError(324, 1366046, "Photos must be smaller than 4 MB and JPEG, PNG, GIF, BMP or TIFF.");

/** Fetches a photo, as Facebook does while it is asked to; the id of the stored file. */
async function pullPhoto(call: GraphCall, page: Page, url: string): Promise<number> {
  const { store, origin } = call;
  if (!isReachable(url)) throw unreachable();
  const file = { platform: "facebook", owner: page.id } as const;
  const pulled = await pullFile({ store, origin }, file, url, MAX_PHOTO_BYTES);
  if (!pulled.ok) throw pulled.error === "too_large" ? badPhoto() : unreachable();
  const { id, mime, declaredType } = pulled.value;
  if (!PHOTO_TYPES.includes(mime) || declaredType !== mime) {
    store.media.discard(id);
    throw badPhoto();
  }
  return sealFile({ store, origin }, file, id, pulled.value);
}

const PHOTO_PARAMS = ["url", "message", "caption", "published", "temporary", "alt_text_custom"];

/** A photo that is published makes a post; any other waits to be attached to one. */
export async function createPhoto(call: GraphCall): Promise<Response> {
  const { page, token } = await authenticate(call);
  requireKnown(call, PHOTO_PARAMS);
  const isPublished = readFlag(call, "published", true);
  const url = call.params.get("url");
  if (!url) throw new GraphError(324, "(#324) Missing or invalid image file");
  const message = call.params.get("message") ?? call.params.get("caption") ?? "";
  checkMessage(message);
  const fileId = await pullPhoto(call, page, url);
  if (!isPublished) return Response.json({ id: insertPhoto(call, page, fileId).id });

  const verdict = steer(call, page, message, token);
  if (verdict.kind !== "accepted") return refuseAsSteered(verdict);
  const photo = insertPhoto(call, page, fileId);
  const { received } = photo;
  const postId = savePost(call, page, {
    kind: "photo",
    message,
    photos: [fileId],
    fields: received,
  });
  attach(call, [photo]);
  return deliver(verdict.reply, Response.json({ id: photo.id, post_id: postId }));
}

export function deletePhoto({ store }: GraphCall, { id }: Photo): Response {
  store.sql.exec("DELETE FROM facebook_photos WHERE id = ?", id);
  return Response.json({ success: true });
}
