import type { Upload } from "./api.ts";
import { formatTable } from "./table.ts";

const TEXT_CHARACTERS = 40;

export const formatUploads = (uploads: readonly Upload[]): string =>
  formatTable(
    ["Post", "Platform", "Account", "Status", "Text", "Result"],
    uploads.map((upload) => [
      String(upload.id),
      upload.platform,
      upload.connectedAccount?.accountName ?? "removed",
      upload.status,
      shorten(upload.description || upload.title || ""),
      resultOf(upload),
    ]),
  );

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const characters = [...line];
  return characters.length > TEXT_CHARACTERS
    ? `${characters.slice(0, TEXT_CHARACTERS - 1).join("")}…`
    : line;
}

const failedPartOf = ({ status, parts, unpublishedAt }: Upload) =>
  status === "completed" && !unpublishedAt
    ? parts?.find((part) => part.status === "failed")
    : undefined;

export const hasFailed = (upload: Upload): boolean =>
  upload.status === "failed" || failedPartOf(upload) !== undefined;

export function describePartFailure(upload: Upload): string | null {
  const part = failedPartOf(upload);
  if (!part) return null;
  return `part ${part.position} failed: ${part.errorMessage ?? part.failure?.code ?? "no reason is known"}`;
}

function resultOf(upload: Upload): string {
  const { status, metadata, scheduledFor, errorMessage, failure, fileDownload } = upload;
  if (status === "failed") return errorMessage ?? failure?.code ?? "no reason is known";
  if (upload.unpublishedAt) return `taken down at ${upload.unpublishedAt}`;
  if (status === "completed") {
    const address = metadata?.shareUrl ?? "the platform gave no address";
    const failedPart = describePartFailure(upload);
    return failedPart ? `${address}, but ${failedPart}` : address;
  }
  if (fileDownload) return fileDownload.message;
  return scheduledFor ? `at ${scheduledFor}` : "";
}
