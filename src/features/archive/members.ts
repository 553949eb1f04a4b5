import { AppError } from "../../core/errors.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { RawRow } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import type { UploadRow } from "../posts/table.ts";
import { readArchived } from "./repo.ts";
import { objectKeyOf } from "./rules.ts";
import type { MemberSpan } from "./table.ts";

export interface Packed {
  bytes: Uint8Array<ArrayBuffer>;
  sha256: string;
}

/** Compresses lines into one gzip member. Members behind each other are a file that `gunzip` reads. */
export async function packMember(lines: readonly string[]): Promise<Packed> {
  const text = new Blob([lines.map((line) => `${line}\n`).join("")]);
  const gzip = text.stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(gzip).arrayBuffer());
  return { bytes, sha256: await sha256Hex(bytes) };
}

/**
 * Reads one member alone: a decompression stream of the runtime refuses a file of several.
 *
 * @throws AppError UNAVAILABLE when the stored file lacks the member, or has other bytes
 */
export async function readMember(
  { media, log }: Pick<Deps, "media" | "log">,
  member: MemberSpan,
): Promise<UploadRow[]> {
  const range = { offset: member.byteOffset, length: member.byteLength };
  const object = await media.get(objectKeyOf(member), { range });
  const bytes = object && new Uint8Array(await object.arrayBuffer());
  if (!bytes || (await sha256Hex(bytes)) !== member.sha256) {
    const { teamId, month, part, byteOffset } = member;
    log({ event: "archive.damaged", teamId, month, part, byteOffset });
    const message = `The archive of ${month} cannot be read: its file in the storage is missing or was changed.`;
    throw new AppError("UNAVAILABLE", message);
  }
  const text = await new Response(
    new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")),
  ).text();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => readArchived(JSON.parse(line) as RawRow));
}
