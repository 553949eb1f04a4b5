type SqlValue = string | number | null;

/** This SQL text is inserted without quotes. */
interface SqlPart {
  part: string;
}
export const sqlPart = (part: string): SqlPart => ({ part });

/** @throws TypeError for fractions, and for text with a NUL, which would end the statement early */
export function quote(value: SqlValue): string {
  if (value === null) return "NULL";
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw new TypeError(`Not a whole number: ${value}`);
    return String(value);
  }
  if (value.includes("\0")) throw new TypeError("Text with a NUL character cannot be stored.");
  return `'${value.replaceAll("'", "''")}'`;
}

const toText = (value: SqlValue | SqlPart): string =>
  typeof value === "object" && value !== null ? value.part : quote(value);

/** Quotes the values: sql`SELECT * FROM users WHERE email = ${email}`. */
export function sql(parts: TemplateStringsArray, ...values: (SqlValue | SqlPart)[]): string {
  const [first = "", ...rest] = parts;
  const text = rest.reduce(
    (statement, part, index) => statement + toText(values[index] ?? null) + part,
    first,
  );
  return text.replace(/^\s+|\s+$/g, "");
}
