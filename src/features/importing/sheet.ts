import { type CsvRow, isBlankRow, readCsvRows } from "../../core/csv-rows.ts";
import { type FieldError, fieldError, invalidFields } from "../../core/errors.ts";
import { decodeUtf8 } from "../../core/text.ts";

export interface Sheet {
  header: readonly string[];
  rows: readonly CsvRow[];
}

/** More than a post has fields. */
const MAX_COLUMNS = 500;

const refuse = (message: string) => invalidFields([fieldError("file", message)]);

/**
 * Reads UTF-8, and UTF-16 with a byte order mark.
 *
 * @throws AppError 400
 */
export function decodeSheet(bytes: Uint8Array): string {
  const text = decodeUtf16(bytes) ?? decodeUtf8(bytes);
  if (text === null) throw refuse("is not UTF-8 text. Save it as CSV UTF-8, then send it again.");
  if (text.includes("\0")) throw refuse("is not a text file. Save the sheet as CSV, then send it.");
  return text;
}

/** Excel says in a line of its own which separator follows. */
export const normalizeSheet = (text: string): string =>
  text
    .replace(/^\uFEFF/, "")
    .replace(/\r\n?/g, "\n")
    .replace(/^"?sep=."?\n/i, "");

function decodeUtf16(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return null;
}

/** @throws AppError 400 for a file without rows, an open quotation mark, or a column that stands twice */
export function readSheet(text: string): Sheet {
  const [first, ...rows] = readCsvRows(text);
  if (!first || rows.length === 0) {
    throw refuse("has no rows. The first line names the columns, each other line is a post.");
  }
  const header = first.cells.map((name) => name.trim());
  if (header.length > MAX_COLUMNS) {
    throw refuse(`has ${header.length} columns, and a sheet may have ${MAX_COLUMNS}.`);
  }
  const twice = header.find((name, i) => name !== "" && header.indexOf(name) !== i);
  if (twice !== undefined) throw refuse(`has two columns named ${twice.slice(0, 50)}.`);
  return { header, rows };
}

export const cellErrors = ({ header }: Sheet, { cells }: CsvRow): FieldError[] =>
  isBlankRow(cells.slice(header.length))
    ? []
    : [
        {
          field: "",
          message: `The row has ${cells.length} cells and the header ${header.length}. Put texts with a comma into quotation marks.`,
        },
      ];
