import { type Failure, toFailureObject } from "../../core/failures.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { PublishedPost } from "../../platforms/connector.ts";
import { countFailure } from "../accounts/repo.ts";
import { emitIfChanged } from "../events/repo.ts";
import type { Part } from "../posts/parts.ts";
import type { UploadMetadata, UploadRow } from "../posts/table.ts";
import { renewedLease, save } from "./save.ts";
import { type Claim, type Next, over } from "./steps.ts";
import { complete, completion, metadataOf } from "./writes.ts";

const replaced = (parts: readonly Part[], position: number, set: Partial<Part>): Part[] =>
  parts.map((part, i) => (i === position - 1 ? { ...part, ...set } : part));

const withWarnings = (
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

/** The job's progress when its next part begins. */
const ANEW = {
  stage: "preparing",
  bookmark: null,
  backoffs: 0,
  crashes: 0,
  restarts: 0,
  submits: 0,
  submittedAt: null,
  errorMessage: null,
} as const;

/** Stores in one write that the post or one of its parts is out, and that the next part begins. */
export async function goOn(deps: Deps, claim: Claim, post: PublishedPost): Promise<Next> {
  const { upload, account } = claim;
  const { part: position, parts } = upload;
  const stored = upload.metadata;
  const isHead = position === 0 || stored === null;
  const { platformPostId, shareUrl, warnings = [] } = post;
  const metadata = isHead ? metadataOf(upload, post) : withWarnings(stored, position, warnings);
  const outcome = { status: "completed", platformPostId, shareUrl } as const;
  const reached = isHead ? [...(parts ?? [])] : replaced(parts ?? [], position, outcome);
  const set = { parts: reached, metadata };
  if (position >= reached.length) {
    return over(complete(deps, upload, set, account.failureCount > 0));
  }
  const now = deps.now();
  const next = await save(deps, upload, {
    ...set,
    ...ANEW,
    part: position + 1,
    progressedAt: now,
    uploadedAt: upload.uploadedAt ?? now,
    ...renewedLease(now),
  });
  return { ...claim, upload: next };
}

const lastStatus = (failure: Failure) =>
  ({ status: "failed", failureCode: failure.code, errorMessage: failure.message }) as const;

/**
 * Ends the job at a part that failed. The post stays published; the parts after it were not sent.
 *
 * @throws LostLease
 */
export async function failPart(
  deps: Deps,
  upload: UploadRow,
  failure: Failure,
  alongside: Query<number>[],
): Promise<void> {
  const { part: position, parts, metadata } = upload;
  if (parts === null || metadata === null) throw new Error(`Post ${upload.id} has no part.`);
  const unsent = { ...failure, message: `Part ${position} is not out, so this part was not sent.` };
  const ended = parts.map((part, i) => {
    if (i + 1 < position) return part;
    return { ...part, ...lastStatus(i + 1 === position ? failure : unsent) };
  });
  const warned = withWarnings(metadata, position, [failure.message]);
  const { set, event } = completion(deps, upload, warned);
  const { id: uploadId, teamId, platform, accountId } = upload;
  const partFailed = emitIfChanged(deps, {
    team: teamId,
    name: "upload.part_failed",
    data: {
      uploadId,
      platform,
      accountId,
      position,
      kind: parts[position - 1]?.kind ?? "post",
      errorMessage: failure.message,
      failure: toFailureObject(failure.code),
    },
  });
  await save(deps, upload, { ...set, parts: ended }, [
    event,
    partFailed,
    countFailure({ id: accountId }),
    ...alongside,
  ]);
  deps.log({ event: "upload.part_failed", uploadId, platform, position, code: failure.code });
}
