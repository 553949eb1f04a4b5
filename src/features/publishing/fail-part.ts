import { type Failure, toFailureObject } from "../../core/failures.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { countFailure } from "../accounts/repo.ts";
import { emitIfChanged } from "../events/repo.ts";
import type { UploadRow } from "../posts/table.ts";
import { completion, withWarnings } from "./completion.ts";
import { postLine } from "./log.ts";
import { save } from "./save.ts";

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
  deps.log(postLine("upload.part_failed", upload, { position, code: failure.code }));
}
