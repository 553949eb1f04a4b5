import { now } from "../../core/clock.ts";
import { DAY } from "../../core/time.ts";
import { pullTyped } from "../kit/files.ts";
import { randomDigits } from "../kit/ids.ts";
import type { Refusal } from "../kit/refusal.ts";
import { deliver } from "../kit/simulator.ts";
import { flag, integer, json, key, type RowOf, Table, text } from "../kit/table.ts";
import { type GraphCall, graphError, isReachable, mediaError, readFlag } from "../meta/graph.ts";
import { requireKnown } from "./call.ts";
import { authenticate, type Page } from "./pages.ts";
import { checkMessage, savePost } from "./posts.ts";
import { steerPost } from "./steering.ts";

export const photos = new Table("facebook_photos", {
  id: key(),
  team_id: integer(),
  page_id: text(),
  file_id: integer(),
  received: json<Record<string, string>>(),
  created_at: integer(),
  published: flag(),
});

export type Photo = RowOf<typeof photos>;

/** Source: Meta, "Page Photos". */
const MAX_PHOTO_BYTES = 4_000_000;
/** Meta also accepts BMP and TIFF, which `detectFileType` does not know. Source: Meta, "Page Photos". */
const PHOTO_TYPES = ["image/jpeg", "image/png", "image/gif"];
/** Unused photos are deleted after this time. */
const STAGED_MS = DAY;

export function findPhoto(
  { env: { store, origin } }: GraphCall,
  page: Page,
  id: string,
): Photo | null {
  const photo = photos.find(store, { id, team_id: origin.teamId, page_id: page.id });
  if (!photo) return null;
  const isGone = !photo.published && photo.created_at <= now().getTime() - STAGED_MS;
  return isGone ? null : photo;
}

export function attach({ env: { store } }: GraphCall, attached: Photo[]): void {
  for (const { id } of attached) photos.update(store, { id }, { published: true });
}

function insertPhoto({ env, var: { params } }: GraphCall, page: Page, fileId: number): Photo {
  const photo = {
    id: `1${randomDigits(14)}`,
    team_id: env.origin.teamId,
    page_id: page.id,
    file_id: fileId,
    received: Object.fromEntries(params),
    created_at: now().getTime(),
    published: false,
  };
  photos.insert(env.store, photo);
  return photo;
}

const unreachable = (): Refusal =>
  mediaError(100, 1609005, "The photo could not be fetched from this URL.");

const badPhoto = (): Refusal =>
  mediaError(324, 1366046, "Photos must be smaller than 4 MB and JPEG, PNG, GIF, BMP or TIFF.");

async function pullPhoto({ env }: GraphCall, page: Page, url: string): Promise<number> {
  if (!isReachable(url)) throw unreachable();
  const limits = { maxBytes: MAX_PHOTO_BYTES, types: PHOTO_TYPES };
  const pulled = await pullTyped(env, { platform: "facebook", owner: page.id }, url, limits);
  if (!pulled.ok) throw pulled.error === "unreachable" ? unreachable() : badPhoto();
  return pulled.value;
}

export const toPostFile = ({ file_id, received }: Photo) => ({
  id: file_id,
  alt: received.alt_text_custom ?? "",
});

const PHOTO_PARAMS = ["url", "message", "caption", "published", "temporary", "alt_text_custom"];

export async function createPhoto(call: GraphCall): Promise<Response> {
  const { page, token } = await authenticate(call);
  requireKnown(call, PHOTO_PARAMS);
  const isPublished = readFlag(call.var.params, "published", true);
  const url = call.var.params.get("url");
  if (!url) throw graphError(324, "(#324) Missing or invalid image file");
  const message = call.var.params.get("message") ?? call.var.params.get("caption") ?? "";
  checkMessage(message);
  const fileId = await pullPhoto(call, page, url);
  if (!isPublished) return Response.json({ id: insertPhoto(call, page, fileId).id });

  const reply = steerPost(call, page, message, token);
  const photo = insertPhoto(call, page, fileId);
  const { received } = photo;
  const postId = savePost(call, page, {
    kind: "photo",
    message,
    photos: [toPostFile(photo)],
    fields: received,
  });
  attach(call, [photo]);
  return deliver(reply, Response.json({ id: photo.id, post_id: postId }));
}

export function deletePhoto({ env: { store } }: GraphCall, { id }: Photo): Response {
  photos.delete(store, { id });
  return Response.json({ success: true });
}
