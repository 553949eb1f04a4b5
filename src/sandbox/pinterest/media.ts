import * as z from "zod";
import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { SECOND } from "../../core/time.ts";
import { randomDigits } from "../kit/ids.ts";
import { type Call, idOf } from "../kit/simulator.ts";
import { accountIdOf } from "./accounts.ts";
import { authenticate, readInput, refusal } from "./call.ts";

export const PINTEREST_MEDIA_SCHEMA = `
CREATE TABLE IF NOT EXISTS pinterest_media (
  media_id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  team_id INTEGER NOT NULL,
  object_key TEXT NOT NULL UNIQUE,
  parameters TEXT NOT NULL,
  file_id INTEGER,
  failed INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  done_at INTEGER
);
`;

/** Simulated processing time of a video, in ms. */
const PROCESSING_MS = 6 * SECOND;

type MediaRow = {
  media_id: string;
  owner: string;
  team_id: number;
  parameters: string;
  file_id: number | null;
  failed: number;
  created_at: number;
  done_at: number | null;
};

/** The storage that takes videos. */
const UPLOADS = "https://pinterest-media-upload.s3-accelerate.amazonaws.com";

/** An id as Pinterest gives them out: more digits than a JSON number holds. */
export const newId = (): string => `5${randomDigits(17)}`;

const registration = z.strictObject({ media_type: z.literal("video") });

/** Makes room for a video; the form fields that come along are the permission to send it. */
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
  call.env.store.insert("pinterest_media", {
    media_id: mediaId,
    owner: await accountIdOf(name),
    team_id: call.env.origin.teamId,
    object_key: parameters.key,
    parameters: JSON.stringify(parameters),
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

export interface Media {
  mediaId: string;
  owner: string;
  parameters: Record<string, string>;
  fileId: number | null;
  status: MediaStatus;
  createdAt: number;
}

function statusOf({ failed, done_at }: MediaRow): MediaStatus {
  if (done_at === null) return "registered";
  if (done_at > now().getTime()) return "processing";
  return failed ? "failed" : "succeeded";
}

function find({ env: { store, origin } }: Call, by: Record<string, string>): Media | null {
  const row = store.find<MediaRow>("pinterest_media", { ...by, team_id: origin.teamId });
  return (
    row && {
      mediaId: row.media_id,
      owner: row.owner,
      parameters: JSON.parse(row.parameters),
      fileId: row.file_id,
      status: statusOf(row),
      createdAt: row.created_at,
    }
  );
}

export const mediaByKey = (call: Call, key: string): Media | null =>
  find(call, { object_key: key });

/** The account's own media of this id. */
export async function findMedia(call: Call, name: string, mediaId: string): Promise<Media | null> {
  const media = find(call, { media_id: mediaId });
  return media?.owner === (await accountIdOf(name)) ? media : null;
}

/** Begins to process a file that has arrived; `fileId` null: it is no video. */
export const receiveFile = (call: Call, mediaId: string, fileId: number | null): void =>
  call.env.store.update(
    "pinterest_media",
    { media_id: mediaId },
    {
      file_id: fileId,
      failed: fileId === null ? 1 : 0,
      done_at: now().getTime() + PROCESSING_MS,
    },
  );

export async function readMedia(call: Call): Promise<Response> {
  const { name } = authenticate(call);
  const mediaId = idOf(call);
  const media = await findMedia(call, name, mediaId);
  if (!media) throw refusal(404, 404, "Media not found.");
  return Response.json({ media_id: mediaId, media_type: "video", status: media.status });
}
