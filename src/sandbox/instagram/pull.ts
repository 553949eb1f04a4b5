import { ok, type Result, refuse } from "../../core/result.ts";
import { pullFile, sealFile } from "../kit/files.ts";
import { type GraphCall, type GraphError, mediaError } from "../meta/graph.ts";
import type { Account } from "./accounts.ts";
import type { ContainerFields } from "./fields.ts";

/** Bytes. Source: Meta, "IG User Media", image, reel and story specifications. */
const MAX_IMAGE_BYTES = 8_000_000;
const MAX_VIDEO_BYTES = 300_000_000;
const MAX_STORY_VIDEO_BYTES = 100_000_000;
const VIDEO_TYPES = ["video/mp4", "video/quicktime"];

/**
 * Fetches the file of a container, as Instagram does once it is created.
 *
 * @returns the id of the stored file, or why the container ends as ERROR
 */
export async function pullSource(
  call: GraphCall,
  account: Account,
  { kind, source }: ContainerFields,
): Promise<Result<number | null, GraphError>> {
  if (source === null) return ok(null);
  const { store, origin } = call;
  const isVideo = source.kind === "video";
  const maxVideo = kind === "story" ? MAX_STORY_VIDEO_BYTES : MAX_VIDEO_BYTES;
  const file = { platform: "instagram", owner: account.userId } as const;
  const maxBytes = isVideo ? maxVideo : MAX_IMAGE_BYTES;
  const pulled = await pullFile({ store, origin }, file, source.url, maxBytes);
  if (!pulled.ok) return refuse(pulled.error === "too_large" ? tooLarge(isVideo) : unreachable());
  const { id, mime, declaredType } = pulled.value;
  const isGood = isVideo ? VIDEO_TYPES.includes(mime) : mime === "image/jpeg";
  if (!isGood || declaredType !== mime) {
    store.media.discard(id);
    return refuse(
      isVideo
        ? mediaError(352, 2207026, "The video format is not supported. Send MOV or MP4.")
        : mediaError(36001, 2207005, "The image format is not supported. Send JPEG."),
    );
  }
  return ok(sealFile({ store, origin }, file, id, pulled.value));
}

const unreachable = (): GraphError =>
  mediaError(9004, 2207052, "The media could not be fetched from this URI.");

const tooLarge = (isVideo: boolean): GraphError =>
  isVideo
    ? mediaError(352, 2207026, "The video is too large.")
    : mediaError(36000, 2207004, "The image is too large to download. It may have 8 MB.");
