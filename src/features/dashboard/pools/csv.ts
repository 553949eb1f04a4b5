import { isBlankRow, readCsvRows } from "../../../core/csv-rows.ts";
import { AppError } from "../../../core/errors.ts";

const COLUMNS = ["title", "videoUrl", "description", "metadata"] as const;

type Column = (typeof COLUMNS)[number];

/** @throws AppError for a first row that does not name the columns */
export function readItemRows(text: string): Partial<Record<Column, string>>[] {
  const [head = [], ...rows] = readCsvRows(text).map(({ cells }) => cells);
  const names = head.map((name) => name.trim().toLowerCase());
  const places = COLUMNS.map((column) => names.indexOf(column.toLowerCase()));
  const unknown = names.filter((name) => !COLUMNS.some((one) => one.toLowerCase() === name));
  const isDoubled = new Set(names).size < names.length;
  if (places[0] === -1 || places[1] === -1 || unknown.length > 0 || isDoubled) {
    throw new AppError(
      null,
      "The first row must name the columns, each once: title,videoUrl,description,metadata. The last two may be left out.",
    );
  }
  if (rows.length === 0)
    throw new AppError(null, "There is no row below the names of the columns.");
  const long = rows.findIndex((cells) => !isBlankRow(cells.slice(names.length)));
  if (long >= 0) {
    throw new AppError(
      null,
      `Row ${long + 2} has more cells than the first row. Write texts with commas in quotation marks: "One, two".`,
    );
  }
  return rows.map((cells) =>
    Object.fromEntries(
      COLUMNS.flatMap((column, i) => {
        const value = cells[places[i] ?? -1]?.trim() ?? "";
        return value === "" && column !== "title" ? [] : [[column, value]];
      }),
    ),
  );
}

const ROW = /^items\.(\d+)(?:\.(.+))?$/;

/** "Row 3, videoUrl: is required." Rows are counted as a spreadsheet does, the names of the columns included. */
export function rowErrors(errors: readonly { field: string; message: string }[]): string[] {
  return errors.map(({ field, message }) => {
    const [, index, column] = ROW.exec(field) ?? [];
    const text = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
    if (field === "items") return "A table may have up to 50 rows. Send the others in another one.";
    if (index === undefined) return text.charAt(0).toUpperCase() + text.slice(1);
    return `Row ${Number(index) + 2}${column ? `, ${column}` : ""}: ${text}`;
  });
}
