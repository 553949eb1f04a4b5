import { createMiddleware } from "hono/factory";
import * as z from "zod";
import { csvOf } from "../core/csv-text.ts";
import { fieldError, invalidFields } from "../core/errors.ts";
import type { AppEnv } from "./env.ts";

/** A list of an answer that can be had as CSV. */
export interface CsvList {
  /** Its place in the answer, such as `data` or `data.videos`; empty when it is the answer. */
  at: string;
  item: z.ZodType;
}

/** No parameter of the document, so that a typed client cannot ask for what its types do not say. */
export const inCsv =
  'With `?format=csv`, the list as CSV: a header, and one column for each field. Texts that a spreadsheet would run begin with a quote. A `Link` header with `rel="next"` names the next page. An extension.';

const WRAPPERS = ["optional", "nullable", "default", "readonly", "catch"];

const inner = (schema: z.ZodType): z.ZodType =>
  WRAPPERS.includes(schema.def.type) && "innerType" in schema.def
    ? inner(schema.def.innerType as z.ZodType)
    : schema;

const fieldsOf = (schema: z.ZodType): [string, z.ZodType][] => {
  const plain = inner(schema);
  return plain instanceof z.ZodObject
    ? Object.entries(plain.shape as Record<string, z.ZodType>)
    : [];
};

/** The one list of objects that an answer is, or holds at its top. */
export function listOf(answer: z.ZodType): CsvList | undefined {
  const whole = inner(answer);
  if (whole instanceof z.ZodArray) return { at: "", item: whole.element as z.ZodType };
  const lists = fieldsOf(answer).flatMap(([at, field]) => {
    const list = inner(field);
    if (!(list instanceof z.ZodArray)) return [];
    const item = list.element as z.ZodType;
    return fieldsOf(item).length > 0 ? [{ at, item }] : [];
  });
  return lists.length === 1 ? lists[0] : undefined;
}

/** The paths of all fields; objects within objects have a column for each of their fields. */
function columnsOf(schema: z.ZodType, path: readonly string[] = []): string[][] {
  const fields = fieldsOf(schema);
  if (fields.length === 0) return [[...path]];
  return fields.flatMap(([name, field]) => columnsOf(field, [...path, name]));
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

/** What an answer says of the page after it. Each list has one of the fields, or none. */
interface Paged {
  pagination?: { page: number; limit: number; total: number };
  nextCursor?: string | null;
  nextAfter?: string | null;
  nextBefore?: string | number | null;
  hasMore?: boolean;
  /** Of a list that does not count its rows: a full page may have another behind it. */
  meta?: { page: number; perPage: number };
}

function nextPage(answer: Paged, rows: number): [name: string, value: string] | null {
  const { pagination, nextCursor, nextAfter, nextBefore, hasMore = true, meta } = answer;
  if (pagination && pagination.page * pagination.limit < pagination.total) {
    return ["page", String(pagination.page + 1)];
  }
  if (meta && rows === meta.perPage) return ["page", String(meta.page + 1)];
  const after = nextCursor ?? nextAfter;
  if (after && hasMore) return ["after", after];
  return nextBefore ? ["before", String(nextBefore)] : null;
}

/** CSV has no room for the cursor, so a header names the next page (RFC 8288). */
function linkTo(address: string, answer: Paged, rows: number): { Link?: string } {
  const next = nextPage(answer, rows);
  if (!next) return {};
  const url = new URL(address);
  url.searchParams.set(...next);
  return { Link: `<${url.pathname}${url.search}>; rel="next"` };
}

/** Turns the JSON answer into CSV when the call asks for it. */
export function answerCsv({ at, item }: CsvList) {
  const place = at === "" ? [] : at.split(".");
  return createMiddleware<AppEnv>(async (c, next) => {
    const format = c.req.query("format") ?? "json";
    if (format !== "json" && format !== "csv") {
      throw invalidFields([fieldError("format", "must be json or csv.")]);
    }
    await next();
    if (format === "json" || !c.res.ok) return;
    const answer: Paged = await c.res.json();
    const list = valueAt(answer, place) as unknown[];
    const columns = columnsOf(item);
    const rows = list.map((one) => columns.map((path) => toCell(valueAt(one, path))));
    const name = c.req.path.split("/").at(-1) ?? "list";
    c.res = new Response(csvOf([columns.map((path) => path.join(".")), ...rows]), {
      headers: {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": `attachment; filename="${name}.csv"`,
        ...linkTo(c.req.url, answer, list.length),
      },
    });
  });
}
