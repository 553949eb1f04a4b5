import { ok, type Result, refuse } from "../../core/result.ts";
import { pullTyped } from "../kit/files.ts";
import type { GraphCall } from "../meta/graph.ts";
import type { Account } from "./accounts.ts";
import { type ContainerFields, unreachable } from "./fields.ts";

/** Bytes. Source: Threads API, "Posts", media specifications. */
const MAX_IMAGE_BYTES = 8_000_000;
const MAX_VIDEO_BYTES = 1_000_000_000;
const TYPES = {
  image: ["image/jpeg", "image/png"],
  video: ["video/mp4", "video/quicktime"],
};

/**
 * @returns the stored file's id, or the `error_message` of the failed container
 * @throws Refusal for an unreachable image
 */
export async function pullSource(
  call: GraphCall,
  account: Account,
  { source }: ContainerFields,
): Promise<Result<number | null, string>> {
  if (source === null) return ok(null);
  const isVideo = source.kind === "video";
  const file = { platform: "threads", owner: account.userId } as const;
  const limits = {
    maxBytes: isVideo ? MAX_VIDEO_BYTES : MAX_IMAGE_BYTES,
    types: TYPES[source.kind],
  };
  const pulled = await pullTyped(call.env, file, source.url, limits);
  if (pulled.ok) return pulled;
  if (pulled.error !== "unreachable") {
    return refuse(isVideo ? "FAILED_PROCESSING_VIDEO" : "UNKNOWN");
  }
  if (isVideo) return refuse("FAILED_DOWNLOADING_VIDEO");
  throw unreachable();
}
