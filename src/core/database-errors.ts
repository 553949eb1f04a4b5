/** Whether a query failed because the database lacks a table or column, as before a migration. */
export const isBehind = (error: unknown): boolean =>
  /no such (?:table|column)|has no column named/.test(String(error));
