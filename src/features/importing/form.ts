import { collectBytes } from "../../core/bytes.ts";
import { type FieldError, fieldError, invalidFields, tooLarge } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { publicOrigin } from "../../http/env.ts";
import { type Fields, type FilePart, lastOf, readForm } from "../../http/multipart.ts";
import { flag, readField } from "../../platforms/kit/form-fields.ts";
import { readZone } from "../settings/rules.ts";
import type { Mapping } from "./dialects.ts";
import type { ImportRequest } from "./service.ts";
import { decodeSheet } from "./sheet.ts";

/** Spec is silent: 500 posts of 10,000 characters each. */
export const MAX_SHEET_BYTES = 5_000_000;

/** @throws AppError for a refused caller or form */
export async function readImportForm(ctx: Ctx, request: Request): Promise<ImportRequest> {
  const sheets: Uint8Array[] = [];
  const enter = () => ctx.read("posts:write", []);
  const fields = await readForm(request, {
    onLarge: enter,
    onFile: async (part) => {
      if (!ctx.knownActor()) await enter();
      if (sheets.length > 0) throw invalidFields([fieldError("file", ONE_FILE)]);
      sheets.push(await readBytes(part));
    },
  });
  return toImportRequest(fields, sheets, publicOrigin(ctx, request.url));
}

const ONE_FILE = "send one file, a sheet as CSV.";

/** @throws AppError 413 */
async function readBytes({ field, bytes }: FilePart): Promise<Uint8Array> {
  const whole = await collectBytes(bytes, MAX_SHEET_BYTES);
  if (whole) return whole;
  throw tooLarge(`${field}: a sheet must be under 5 MB. Split it: one import takes 500 posts.`);
}

function toImportRequest(
  fields: Fields,
  [sheet]: readonly Uint8Array[],
  origin: string,
): ImportRequest {
  const mapping = readMapping(lastOf(fields, "mapping") ?? "");
  const isDryRun = readField(flag, lastOf(fields, "dryRun"));
  const errors = [
    ...(sheet ? [] : [fieldError("file", ONE_FILE)]),
    ...("errors" in mapping ? mapping.errors : []),
    ...isDryRun.refusals.map((reason) => fieldError("dryRun", reason)),
  ];
  if (errors.length > 0 || !sheet || "errors" in mapping) throw invalidFields(errors);
  return {
    text: decodeSheet(sheet),
    zone: zoneIn(lastOf(fields, "timezone") ?? ""),
    mapping: mapping.mapping,
    account: lastOf(fields, "account")?.trim() || null,
    isDryRun: isDryRun.value ?? true,
    origin,
  };
}

/**
 * Null for an empty text.
 *
 * @throws AppError 400
 */
export function zoneIn(text: string): string | null {
  if (text.trim() === "") return null;
  const zone = readZone(text.trim());
  if (zone) return zone;
  const message = "must be an IANA time zone such as Europe/Berlin.";
  throw invalidFields([fieldError("timezone", message)]);
}

const NO_MAPPING =
  'must be a JSON object of our fields and the columns of the file, such as {"description": "Text"}.';

function readMapping(text: string): { mapping: Mapping } | { errors: FieldError[] } {
  if (text.trim() === "") return { mapping: {} };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { errors: [fieldError("mapping", NO_MAPPING)] };
  }
  const isMapping =
    typeof parsed === "object" &&
    parsed !== null &&
    !Array.isArray(parsed) &&
    Object.values(parsed).every((column) => typeof column === "string");
  return isMapping
    ? { mapping: parsed as Mapping }
    : { errors: [fieldError("mapping", NO_MAPPING)] };
}
