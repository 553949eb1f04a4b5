/** Spreadsheets run texts that begin so. */
const FORMULA = /^[=+\-@\t\r]/;

function toField(cell: string | number | null): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @see https://www.rfc-editor.org/rfc/rfc4180 */
export const csvOf = (rows: readonly (readonly (string | number | null)[])[]): string =>
  rows.map((row) => `${row.map(toField).join(",")}\r\n`).join("");
