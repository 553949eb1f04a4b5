import { AppError } from "../../../core/errors.ts";

/** One record for each line, by RFC 4180; line breaks may stand within quotes. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = "";
  let isQuoted = false;
  const source = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const separator = separatorOf(source);
  for (let i = 0; i < source.length; i++) {
    const one = source[i] as string;
    if (isQuoted) {
      if (one !== '"') field += one;
      else if (source[i + 1] === '"') field += source[++i];
      else isQuoted = false;
    } else if (one === '"' && field === "") isQuoted = true;
    else if (one === separator || one === "\n") {
      row.push(field);
      field = "";
      if (one === "\n") {
        rows.push(row);
        row = [];
      }
    } else field += one;
  }
  if (isQuoted)
    throw new AppError(null, "A quotation mark is not closed. Close it, then send the rows again.");
  if (field !== "" || row.length > 0) rows.push([...row, field]);
  return rows.filter((cells) => cells.some((cell) => cell.trim() !== ""));
}

/** Spreadsheets of some countries write semicolons or tabs. */
function separatorOf(text: string): string {
  const [head = ""] = text.split("\n", 1);
  return [",", ";", "\t"].find((one) => head.split(one).length > 1) ?? ",";
}

const COLUMNS = ["title", "videoUrl", "description", "metadata"] as const;

type Column = (typeof COLUMNS)[number];

/** @throws AppError for a first row that does not name the columns */
export function readItemRows(text: string): Partial<Record<Column, string>>[] {
  const [head = [], ...rows] = parseCsv(text);
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
  const isLong = (cells: string[]) => cells.slice(names.length).some((cell) => cell.trim() !== "");
  const long = rows.findIndex(isLong);
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
