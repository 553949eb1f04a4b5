import * as z from "zod";
import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { SECOND } from "../../core/time.ts";
import { randomDigits } from "../kit/ids.ts";
import { type Call, idOf } from "../kit/simulator.ts";
import { flag, integer, json, key, optional, type RowOf, Table, text } from "../kit/table.ts";
import { accountIdOf } from "./accounts.ts";
import { authenticate, readInput, refusal } from "./call.ts";

export const mediaTable = new Table(
  "pinterest_media",
  {
    media_id: key(),
    owner: text(),
    team_id: integer(),
    object_key: text(),
    parameters: json<Record<string, string>>(),
    file_id: optional(integer()),
    failed: flag(),
    created_at: integer(),
    done_at: optional(integer()),
  },
  { constraint: "UNIQUE (object_key)" },
);

export type Media = RowOf<typeof mediaTable>;

const PROCESSING_MS = 6 * SECOND;

const UPLOADS = "https://pinterest-media-upload.s3-accelerate.amazonaws.com";

/** Longer than `Number.MAX_SAFE_INTEGER`, like Pinterest's ids. */
export const newId = (): string => `5${randomDigits(17)}`;

const registration = z.strictObject({ media_type: z.literal("video") });

export async function registerMedia(call: Call): Promise<Response> {
  const { name } = authenticate(call);
  const { media_type } = await readInput(call, registration);
  const mediaId = newId();
  const at = now();
  const stamp = at.toISOString().replace(/[-:]|\.\d+/g, "");
  const parameters = {
    "x-amz-date": stamp,
    "x-amz-signature": randomHex(32),
    "x-amz-security-token": `${btoa(randomHex(60))}==`,
    "x-amz-algorithm": "AWS4-HMAC-SHA256",
    key: `uploads/${randomHex(2)}/video/${mediaId}`,
    policy: btoa(JSON.stringify({ conditions: [{ bucket: "pinterest-media-upload" }] })),
    "x-amz-credential": `SANDBOX/${stamp.slice(0, 8)}/us-east-1/s3/aws4_request`,
    "Content-Type": "multipart/form-data",
  };
  mediaTable.insert(call.env.store, {
    media_id: mediaId,
    owner: await accountIdOf(name),
    team_id: call.env.origin.teamId,
    object_key: parameters.key,
    parameters,
    created_at: at.getTime(),
  });
  const body = {
    media_id: mediaId,
    media_type,
    upload_url: `${UPLOADS}/`,
    upload_parameters: parameters,
  };
  return Response.json(body, { status: 201 });
}

type MediaStatus = "registered" | "processing" | "succeeded" | "failed";

export function statusOf({ failed, done_at }: Media): MediaStatus {
  if (done_at === null) return "registered";
  if (done_at > now().getTime()) return "processing";
  return failed ? "failed" : "succeeded";
}

export const mediaByKey = ({ env: { store, origin } }: Call, object_key: string): Media | null =>
  mediaTable.find(store, { object_key, team_id: origin.teamId });

export async function findMedia(call: Call, name: string, mediaId: string): Promise<Media | null> {
  const { store, origin } = call.env;
  const owner = await accountIdOf(name);
  return mediaTable.find(store, { media_id: mediaId, owner, team_id: origin.teamId });
}

export function receiveFile(
  { env: { store } }: Call,
  media_id: string,
  fileId: number | null,
): void {
  const done_at = now().getTime() + PROCESSING_MS;
  mediaTable.update(store, { media_id }, { file_id: fileId, failed: fileId === null, done_at });
}

export async function readMedia(call: Call): Promise<Response> {
  const { name } = authenticate(call);
  const mediaId = idOf(call);
  const media = await findMedia(call, name, mediaId);
  if (!media) throw refusal(404, 404, "Media not found.");
  return Response.json({ media_id: mediaId, media_type: "video", status: statusOf(media) });
}
