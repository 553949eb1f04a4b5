import { AppError } from "../../core/errors.ts";
import type { Deps } from "../../deps.ts";
import { type PutPart, partsRefusal, readCompleteBody } from "./complete-body.ts";
import { endUpload, type PresignRow, presignById } from "./repo.ts";
import { partsOf } from "./rules.ts";

/** Error codes of the S3 API. */
type StorageCode =
  | "EntityTooSmall"
  | "InvalidPart"
  | "InvalidPartOrder"
  | "MalformedXML"
  | "MethodNotAllowed"
  | "NoSuchUpload"
  | "OperationAborted"
  | "ServiceUnavailable";

export const storageRefusal = (
  status: number,
  storageCode: StorageCode | "AccessDenied",
  message: string,
  headers: Record<string, string> = {},
): AppError => new AppError(null, message, { status, headers, extras: { storageCode } });

const noSuchUpload = (): AppError =>
  storageRefusal(404, "NoSuchUpload", "There is no such upload. Presign the file again.");

const wasAborted = (): AppError =>
  storageRefusal(410, "NoSuchUpload", "This upload was aborted. Presign the file again.");

interface WholeFile {
  objectKey: string;
  /** Without quotes. */
  etag: string;
}

const mayNotEnd = (): AppError =>
  storageRefusal(
    403,
    "AccessDenied",
    "Whoever presigned this file has left the team, or their token was revoked. Presign the file again.",
  );

type Multipart = PresignRow & { uploadId: string; partBytes: number; starterMay: boolean };

async function findUpload({ db }: Pick<Deps, "db">, id: number): Promise<Multipart> {
  const [[row]] = await db.run([presignById({ id })]);
  if (!row || row.uploadId === null || row.partBytes === null) throw noSuchUpload();
  return { ...row, uploadId: row.uploadId, partBytes: row.partBytes };
}

/**
 * A repeated call gets the same answer, without a new check of ETags.
 *
 * @throws AppError with S3 codes: 400 for a wrong list; 403 when the person who presigned the file may no longer act
 * for the team; 404 for an unknown upload; 410 after an abort; 503 when storage does not answer
 */
export async function completeUpload(deps: Deps, id: number, xml: string): Promise<WholeFile> {
  const row = await findUpload(deps, id);
  if (row.abortedAt) throw wasAborted();
  if (!row.starterMay) throw mayNotEnd();
  const parts = readCompleteBody(xml);
  if (!parts) {
    const message = "The body must be a CompleteMultipartUpload that lists ETag and PartNumber.";
    throw storageRefusal(400, "MalformedXML", message);
  }
  const refusal = partsRefusal(parts, partsOf(row.sizeBytes, row.partBytes).length);
  if (refusal)
    throw storageRefusal(
      400,
      refusal.includes("order") ? "InvalidPartOrder" : "InvalidPart",
      refusal,
    );
  if (row.completedAt) return await requireThere(deps, row);
  const object = await putTogether(deps, row, parts);
  if (object.size !== row.sizeBytes) {
    await deps.db.run([endUpload(id, "aborted", deps.now())]);
    await deps.media.delete(row.objectKey);
    const message = `The file has ${object.size} bytes in storage, not the ${row.sizeBytes} that were declared. It was removed: presign it again.`;
    throw storageRefusal(400, "EntityTooSmall", message);
  }
  const [ended] = await deps.db.run([endUpload(id, "completed", deps.now())]);
  if (ended === 0) {
    const { abortedAt, starterMay, completedAt } = await findUpload(deps, id);
    if (abortedAt || (!starterMay && !completedAt)) {
      await deps.db.run([endUpload(id, "aborted", deps.now())]);
      await deps.media.delete(row.objectKey);
      throw abortedAt ? wasAborted() : mayNotEnd();
    }
  }
  return { objectKey: row.objectKey, etag: object.etag };
}

/** R2's codes for a wrong list of parts. Source: R2, "Error codes". */
const WRONG_PARTS = /\((?:10011|10025|10048)\)/;
const NO_UPLOAD = /\(10024\)/;

async function putTogether(
  { media, log }: Pick<Deps, "media" | "log">,
  { objectKey, uploadId }: Multipart,
  parts: PutPart[],
): Promise<Pick<R2Object, "size" | "etag">> {
  try {
    return await media.resumeMultipartUpload(objectKey, uploadId).complete(parts);
  } catch (error) {
    const reason = String(error);
    if (WRONG_PARTS.test(reason)) {
      const message =
        "A part of the list is not in storage as it is listed. Put it again, and send its new ETag.";
      throw storageRefusal(400, "InvalidPart", message);
    }
    if (NO_UPLOAD.test(reason)) {
      // An earlier call may have completed the upload without recording it.
      const object = await media.head(objectKey);
      if (object) return object;
      throw noSuchUpload();
    }
    log({ event: "presign.complete_failed", error: reason });
    const message = "Storage does not answer at the moment. Send the call again.";
    throw storageRefusal(503, "ServiceUnavailable", message);
  }
}

async function requireThere(
  { media }: Pick<Deps, "media">,
  { objectKey }: PresignRow,
): Promise<WholeFile> {
  const object = await media.head(objectKey);
  if (!object) throw noSuchUpload();
  return { objectKey, etag: object.etag };
}

/** @throws AppError 404; 409 after completion, when the file stays */
export async function abortUpload(deps: Deps, id: number): Promise<void> {
  const row = await findUpload(deps, id);
  const [ended] = await deps.db.run([endUpload(id, "aborted", deps.now())]);
  if (ended === 0 && !(await findUpload(deps, id)).abortedAt) {
    const message = "This upload is completed and can no longer be aborted. Its file stays.";
    throw storageRefusal(409, "OperationAborted", message);
  }
  await deps.media.resumeMultipartUpload(row.objectKey, row.uploadId).abort();
}
