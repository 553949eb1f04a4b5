import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import { keepFile, storeFile } from "../kit/files.ts";
import { randomDigits } from "../kit/ids.ts";
import { readMultipart } from "../kit/input.ts";
import { Refusal } from "../kit/refusal.ts";
import { type Call, idOf } from "../kit/simulator.ts";
import { processingSeconds } from "../kit/steering.ts";
import { integer, key, optional, type RowOf, Table, text } from "../kit/table.ts";
import { type Account, authenticate } from "./accounts.ts";
import { invalid, notFound, serverOf } from "./call.ts";
import { limitsOf } from "./instance.ts";

export const mediaTable = new Table("mastodon_media", {
  id: key(),
  account_id: text(),
  team_id: integer(),
  file_id: integer(),
  mime: text(),
  description: text(),
  focus: text(),
  /** Epoch ms. */
  processed_at: integer(),
  status_id: optional(text()),
});

export type MediaRow = RowOf<typeof mediaTable>;

const FORM_SLACK = 10_000;
const FOCUS = /^-?\d(?:\.\d+)?,-?\d(?:\.\d+)?$/;

export const isProcessed = ({ processed_at }: MediaRow): boolean => processed_at <= now().getTime();

const kindOf = (mime: string): "image" | "gifv" | "video" => {
  if (mime === "image/gif") return "gifv";
  return mime.startsWith("video/") ? "video" : "image";
};

export const isVideo = ({ mime }: MediaRow): boolean => kindOf(mime) === "video";

export function shownMedia(call: Call, media: MediaRow) {
  const [x, y] = media.focus.split(",").map(Number);
  const address = `${serverOf(call)}/system/media_attachments/files/${media.id}/original`;
  return {
    id: media.id,
    type: kindOf(media.mime),
    url: isProcessed(media) ? address : null,
    preview_url: null,
    remote_url: null,
    text_url: null,
    meta: media.focus ? { focus: { x, y } } : {},
    description: media.description || null,
    blurhash: null,
  };
}

export const findMedia = (call: Call, account: Account, id: string): MediaRow | null =>
  mediaTable.find(call.env.store, { id, account_id: account.id, team_id: call.env.origin.teamId });

export async function uploadMedia(call: Call): Promise<Response> {
  const { account } = await authenticate(call, "write:media");
  const limits = limitsOf(call);
  const form = await readMultipart(call, limits.videoBytes + FORM_SLACK);
  if (form === "too_large") throw new Refusal(413);
  const file = form === "malformed" ? null : form.get("file");
  if (form === "malformed" || !(file instanceof Blob)) {
    throw invalid("Validation failed: File can't be blank");
  }
  const description = String(form.get("description") ?? "");
  if (description.length > limits.description) {
    throw invalid(
      `Validation failed: Description is too long (maximum is ${limits.description} characters)`,
    );
  }
  const focus = String(form.get("focus") ?? "");
  if (focus !== "" && !FOCUS.test(focus)) throw invalid("Validation failed: Focus is invalid");
  const owner = { platform: "mastodon", owner: account.id } as const;
  const stored = await storeFile(call.env, owner, file.stream(), limits.videoBytes);
  if (stored === "too_large") throw new Refusal(413);
  const max = stored.mime.startsWith("image/") ? limits.imageBytes : limits.videoBytes;
  if (stored.sizeBytes > max) {
    call.env.store.media.discard(stored.id);
    throw invalid(
      `Validation failed: File file size must be less than ${Math.round(max / 1_048_576)} MB`,
    );
  }
  const { mime } = stored;
  const fileId = keepFile(call.env, owner, stored, (found) => limits.types.includes(found));
  if (fileId === null) {
    throw invalid("Validation failed: File content type is invalid, File is invalid");
  }
  const wait = kindOf(mime) === "image" ? 0 : processingSeconds(description) * SECOND;
  const row = {
    id: `11${randomDigits(16)}`,
    account_id: account.id,
    team_id: call.env.origin.teamId,
    file_id: fileId,
    mime,
    description,
    focus,
    processed_at: now().getTime() + wait,
    status_id: null,
  };
  mediaTable.insert(call.env.store, row);
  return Response.json(shownMedia(call, row), { status: wait > 0 ? 202 : 200 });
}

/** Only a file that is in no post yet is found. */
export async function readMedia(call: Call): Promise<Response> {
  const { account } = await authenticate(call, "write:media");
  const media = findMedia(call, account, idOf(call));
  if (!media || media.status_id !== null) throw notFound();
  return Response.json(shownMedia(call, media), { status: isProcessed(media) ? 200 : 206 });
}
