import type { Deps } from "../../deps.ts";
import type { PublishedPost } from "../../platforms/connector.ts";
import { emitIfChanged } from "../events/repo.ts";
import type { UploadMetadata, UploadRow } from "../posts/table.ts";

export function metadataOf(
  upload: UploadRow,
  { platformPostId, shareUrl, warnings = [] }: PublishedPost,
): UploadMetadata {
  const missed = upload.media.flatMap((item) =>
    item.role === "thumbnail" && "url" in item
      ? [`The thumbnail at ${item.url} was left out.`]
      : [],
  );
  const allWarnings = [...missed, ...warnings];
  return {
    videoId: platformPostId,
    shareUrl,
    ...(allWarnings.length > 0 ? { warnings: allWarnings } : {}),
  };
}

export const withWarnings = (
  metadata: UploadMetadata,
  position: number,
  warnings: readonly string[],
): UploadMetadata =>
  warnings.length === 0
    ? metadata
    : {
        ...metadata,
        warnings: [
          ...(metadata.warnings ?? []),
          ...warnings.map((warning) => `Part ${position}: ${warning}`),
        ],
      };

export function completion(deps: Deps, upload: UploadRow, metadata: UploadMetadata) {
  const { teamId, id: uploadId, platform, accountId } = upload;
  const set = {
    status: "completed",
    dueAt: null,
    leaseUntil: null,
    uploadedAt: upload.uploadedAt ?? deps.now(),
    metadata,
    errorMessage: null,
  } as const;
  const data = { uploadId, platform, accountId, status: "completed" as const, metadata };
  return { set, event: emitIfChanged(deps, { team: teamId, name: "upload.completed", data }) };
}
