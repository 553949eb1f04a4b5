import type { Context } from "hono";
import { csvOf } from "../../../core/csv-text.ts";
import type { Table } from "./tables.ts";

export const tableName = (file: string): string => file.replace(/\.csv$/, "");

export function sendCsv(c: Context, { name, head, rows }: Table): Response {
  return c.body(csvOf([head, ...rows]), 200, {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="analytics-${name}.csv"`,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  });
}
