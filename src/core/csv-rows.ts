import Papa from "papaparse";
import { AppError } from "./errors.ts";

export interface CsvRow {
  /** As a spreadsheet numbers it: the first line of the file is 1. */
  row: number;
  cells: readonly string[];
}

/** Our exports put a quote before texts that a spreadsheet would run. */
const QUOTED_FORMULA = /^'(?=[=+\-@\t\r])/;

export const isBlankRow = (cells: readonly string[]): boolean =>
  cells.every((cell) => cell.trim() === "");

/**
 * Reads rows separated by commas, semicolons or tabs, and leaves out empty ones.
 *
 * @throws AppError 400 for a quotation mark that does not end
 */
export function readCsvRows(text: string): CsvRow[] {
  const source = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const { data, errors } = Papa.parse<string[]>(source, { delimiter: delimiterOf(source) });
  const open = errors.find(({ type }) => type === "Quotes");
  if (open) {
    const message = `A quotation mark does not end, in or after row ${(open.row ?? 0) + 1}. Close it, then send the rows again. Within a text, write it twice: "".`;
    throw new AppError(null, message);
  }
  return data
    .map((cells, i) => ({
      row: i + 1,
      cells: cells.map((cell) => cell.replace(QUOTED_FORMULA, "")),
    }))
    .filter(({ cells }) => !isBlankRow(cells));
}

/** The delimiter that stands most often in the header. */
function delimiterOf(text: string): string {
  const [header = ""] = text.trimStart().split("\n", 1);
  const plain = header.replace(/"[^"]*"/g, "");
  const count = (delimiter: string) => plain.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best));
}
