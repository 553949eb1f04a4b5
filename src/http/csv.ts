import { createMiddleware } from "hono/factory";
import * as z from "zod";
import { csvOf } from "../core/csv-text.ts";
import { fieldError, invalidFields } from "../core/errors.ts";
import type { AppEnv } from "./env.ts";

/** A list of an answer that can be had as CSV. */
export interface CsvList {
  /** Its place in the answer, such as `data` or `data.videos`. */
  at: string;
  item: z.ZodType;
}

/** No parameter of the document, so that a typed client cannot ask for what its types do not say. */
export const inCsv =
  "With `?format=csv`, the list as CSV: a header, and one column for each field. Texts that a spreadsheet would run begin with a quote. An extension.";

const WRAPPERS = ["optional", "nullable", "default", "readonly", "catch"];

const inner = (schema: z.ZodType): z.ZodType =>
  WRAPPERS.includes(schema.def.type) && "innerType" in schema.def
    ? inner(schema.def.innerType as z.ZodType)
    : schema;

/** The paths of all fields; objects within objects have a column for each of their fields. */
function columnsOf(schema: z.ZodType, path: readonly string[] = []): string[][] {
  const plain = inner(schema);
  return plain instanceof z.ZodObject
    ? Object.entries(plain.shape).flatMap(([name, field]) =>
        columnsOf(field as z.ZodType, [...path, name]),
      )
    : [[...path]];
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, name) => (at as Record<string, unknown> | null | undefined)?.[name],
    value,
  );

function toCell(value: unknown): string | number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "number") return value;
  return typeof value === "boolean" ? String(value) : JSON.stringify(value);
}

/** Turns the JSON answer into CSV when the call asks for it. */
export function answerCsv({ at, item }: CsvList) {
  const place = at.split(".");
  return createMiddleware<AppEnv>(async (c, next) => {
    const format = c.req.query("format") ?? "json";
    if (format !== "json" && format !== "csv") {
      throw invalidFields([fieldError("format", "must be json or csv.")]);
    }
    await next();
    if (format === "json" || !c.res.ok) return;
    const list = valueAt(await c.res.json(), place) as unknown[];
    const columns = columnsOf(item);
    const rows = list.map((one) => columns.map((path) => toCell(valueAt(one, path))));
    const name = c.req.path.split("/").at(-1) ?? "list";
    c.res = new Response(csvOf([columns.map((path) => path.join(".")), ...rows]), {
      headers: {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": `attachment; filename="${name}.csv"`,
      },
    });
  });
}
