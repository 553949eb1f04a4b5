import Papa from "papaparse";
import { type FieldError, fieldError, invalidFields } from "../../core/errors.ts";
import { decodeUtf8 } from "../../core/text.ts";

export interface SheetRow {
  /** As a spreadsheet numbers it: the first line of the file is 1. */
  row: number;
  cells: readonly string[];
}

export interface Sheet {
  header: readonly string[];
  rows: readonly SheetRow[];
}

const refuse = (message: string) => invalidFields([fieldError("file", message)]);

/**
 * Reads UTF-8, and UTF-16 with a byte order mark. Lines end with \n afterwards.
 *
 * @throws AppError 400
 */
export function decodeSheet(bytes: Uint8Array): string {
  const text = decodeUtf16(bytes) ?? decodeUtf8(bytes);
  if (text === null) {
    throw refuse("is not UTF-8 text. Save it as CSV UTF-8, then send it again.");
  }
  if (text.includes("\0")) throw refuse("is not a text file. Save the sheet as CSV, then send it.");
  return text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}

const decodeUtf16 = (bytes: Uint8Array): string | null =>
  bytes[0] === 0xff && bytes[1] === 0xfe ? new TextDecoder("utf-16le").decode(bytes) : null;

/** Our exports put a quote before texts that a spreadsheet would run. */
const QUOTED_FORMULA = /^'(?=[=+\-@\t\r])/;

/** The one that the header has most often. */
function delimiterOf(text: string): string {
  const header = text.slice(0, text.indexOf("\n")).replace(/"[^"]*"/g, "");
  const count = (delimiter: string) => header.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === "");

/** @throws AppError 400 for a file without rows, a quote that does not end, or a column that stands twice */
export function readSheet(text: string): Sheet {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: delimiterOf(text) });
  const open = errors.find(({ type }) => type === "Quotes");
  if (open) {
    throw refuse(
      `has a quotation mark that does not end, in or after row ${(open.row ?? 0) + 1}. Write "" for one within a text.`,
    );
  }
  const rows = data
    .map((cells, i) => ({
      row: i + 1,
      cells: cells.map((cell) => cell.replace(QUOTED_FORMULA, "")),
    }))
    .filter(({ cells }) => !isBlank(cells));
  const [first, ...others] = rows;
  if (!first || others.length === 0) {
    throw refuse("has no rows. The first line names the columns, each other line is a post.");
  }
  const header = first.cells.map((name) => name.trim());
  const twice = header.find((name, i) => name !== "" && header.indexOf(name) !== i);
  if (twice !== undefined) throw refuse(`has two columns named ${twice.slice(0, 50)}.`);
  return { header, rows: others };
}

export const cellErrors = ({ header }: Sheet, { cells }: SheetRow): FieldError[] =>
  isBlank(cells.slice(header.length))
    ? []
    : [
        {
          field: "",
          message: `The row has ${cells.length} cells and the header ${header.length}. Put texts with a comma into quotation marks.`,
        },
      ];
