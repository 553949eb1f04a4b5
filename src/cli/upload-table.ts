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

function resultOf(upload: Upload): string {
  const { status, metadata, scheduledFor, errorMessage, failure, fileDownload } = upload;
  if (status === "failed") return errorMessage ?? failure?.code ?? "no reason is known";
  if (upload.unpublishedAt) return `taken down at ${upload.unpublishedAt}`;
  if (status === "completed") return metadata?.shareUrl ?? "the platform gave no address";
  if (fileDownload) return fileDownload.message;
  return scheduledFor ? `at ${scheduledFor}` : "";
}
