import { ok, type Result, refuse } from "../../core/result.ts";
import { pullTyped } from "../kit/files.ts";
import type { GraphCall } from "../meta/graph.ts";
import type { Account } from "./accounts.ts";
import type { ContainerFields } from "./fields.ts";

/** Bytes. Source: Meta, "IG User Media", image, reel and story specifications. */
const MAX_IMAGE_BYTES = 8_000_000;
const MAX_VIDEO_BYTES = 300_000_000;
const MAX_STORY_VIDEO_BYTES = 100_000_000;

/** Source: Meta, "Error Codes", Instagram. */
const SUBCODES = {
  image: { unreachable: 2207052, too_large: 2207004, wrong_type: 2207005 },
  video: { unreachable: 2207052, too_large: 2207026, wrong_type: 2207026 },
};

/** @returns the stored file's id, or the subcode of the failed container */
export async function pullSource(
  { env }: GraphCall,
  { userId }: Account,
  { kind, source }: ContainerFields,
): Promise<Result<number | null, number>> {
  if (source === null) return ok(null);
  const maxVideo = kind === "story" ? MAX_STORY_VIDEO_BYTES : MAX_VIDEO_BYTES;
  const limits =
    source.kind === "video"
      ? { maxBytes: maxVideo, types: ["video/mp4", "video/quicktime"] }
      : { maxBytes: MAX_IMAGE_BYTES, types: ["image/jpeg"] };
  const pulled = await pullTyped(env, { platform: "instagram", owner: userId }, source.url, limits);
  return pulled.ok ? pulled : refuse(SUBCODES[source.kind][pulled.error]);
}
