import { type FieldError, fieldError, invalidFields } from "../../core/errors.ts";
import { connectors } from "../../platforms/registry.ts";
import { isMisnamedDate } from "../compose/new-post.ts";
import type { DateOrder } from "./dates.ts";
import type { Sheet } from "./sheet.ts";

/** `mapped`: only the call's mapping says what the columns are. */
export const DIALECTS = ["akimbo", "ayrshare", "publer", "buffer", "mapped"] as const;
export type DialectName = (typeof DIALECTS)[number];

/** Fields that POST /upload does not have. */
const IMPORT_FIELDS = ["account", "media", "scheduledFor", "importId"] as const;

const POST_FIELDS = [
  "title",
  "description",
  "caption",
  "status",
  "thread",
  "thread_marks",
  "first_comment",
  "alt_text",
  "thumbnail_url",
] as const;

/** The fields that people map by hand, with their names on the page. */
export const MAPPED_FIELDS = [
  ["account", "Account"],
  ["caption", "Text"],
  ["title", "Title"],
  ["description", "Description"],
  ["scheduledFor", "Date"],
  ["media", "Files"],
  ["alt_text", "Alternative text"],
  ["first_comment", "First comment"],
  ["thread", "Thread"],
  ["link", "Link"],
  ["status", "Status"],
  ["importId", "Import id"],
] as const;

/** Columns of other services that become settings of a platform. */
type ForeignField = "board" | "subtype";

export interface Dialect {
  name: DialectName;
  /** A header with all of one list's columns is of the dialect. */
  marks: readonly (readonly string[])[];
  /** Fields by column, in lower case and without what follows " - ". */
  fields: Record<string, string>;
  betweenMedia: RegExp;
  dateOrder: DateOrder | null;
  /** What becomes of a row without a date. */
  undated: "published" | "draft";
}

const OWN: Dialect = {
  name: "akimbo",
  marks: [["account"], ["accountid"], ["accounts"], ["description"], ["caption"]],
  fields: { accountid: "account", accounts: "account", schedule_date: "scheduledFor" },
  betweenMedia: /\s+/,
  dateOrder: null,
  undated: "published",
};

const FOREIGN: readonly Dialect[] = [
  {
    // Source: https://www.ayrshare.com/docs/apis/post/bulk-post
    name: "ayrshare",
    marks: [["post", "platforms"]],
    fields: {
      post: "caption",
      platforms: "account",
      mediaurls: "media",
      scheduledate: "scheduledFor",
    },
    betweenMedia: /[\s,]+/,
    dateOrder: "month_first",
    undated: "draft",
  },
  {
    // Source: https://publer.com/blog/ultimate-csv-bulk-scheduler-social-media/ and its template; older files have six columns.
    name: "publer",
    marks: [
      ["date", "text"],
      ["date", "message"],
    ],
    fields: {
      date: "scheduledFor",
      text: "caption",
      message: "caption",
      "link(s)": "link",
      link: "link",
      "media url(s)": "media",
      "media url": "media",
      media: "media",
      title: "title",
      "alt text(s)": "alt_text",
      "comment(s)": "first_comment",
      "pin board, fb album, or google category": "board",
      "post subtype": "subtype",
    },
    betweenMedia: /[\s,]+/,
    dateOrder: null,
    undated: "draft",
  },
  {
    // Source: Buffer's help, "Uploading posts in bulk": Text, Image URL, Tags, Posting Time.
    name: "buffer",
    marks: [["text", "posting time"]],
    fields: {
      text: "caption",
      "image url": "media",
      "posting time": "scheduledFor",
      "board name": "board",
    },
    betweenMedia: /[\s,]+/,
    dateOrder: "month_first",
    undated: "draft",
  },
];

const SETTINGS = new Set(connectors().flatMap(({ settings }) => Object.keys(settings.infos)));

const isField = (name: string): boolean =>
  [...IMPORT_FIELDS, ...POST_FIELDS].some((field) => field === name) || SETTINGS.has(name);

const columnKey = (column: string): string => (column.split(" - ")[0] ?? "").trim().toLowerCase();

/** The field of each column; null for one that is left out. */
export interface Columns {
  dialect: Dialect;
  fields: readonly (string | null)[];
}

export type Mapping = Readonly<Record<string, string>>;

function recognise(header: readonly string[], isMapped: boolean): Dialect {
  const keys = new Set(header.map(columnKey));
  const isOf = ({ marks }: Dialect) => marks.some((mark) => mark.every((key) => keys.has(key)));
  const dialect = [...FOREIGN, OWN].find(isOf);
  if (dialect) return dialect;
  if (isMapped) return { ...OWN, name: "mapped" };
  const message = `its columns (${header.join(", ").slice(0, 300)}) are not known here. Name them as the fields of POST /upload, with account, or send a mapping such as {"description": "${header[0]?.slice(0, 50)}"}.`;
  throw invalidFields([fieldError("file", message)]);
}

/** @throws AppError 400 for unknown columns, a wrong mapping, and dates that would be overlooked */
export function readColumns({ header, rows }: Sheet, mapping: Mapping): Columns {
  const errors = Object.entries(mapping).flatMap(([field, column]) =>
    mapErrors(field, column, header),
  );
  const columns = Object.values(mapping).filter((column) => column !== "");
  const shared = columns.find((column, i) => columns.indexOf(column) !== i);
  if (shared !== undefined) {
    errors.push(fieldError("mapping", `two fields name the column ${shared.slice(0, 50)}.`));
  }
  if (errors.length > 0) throw invalidFields(errors);
  const dialect = recognise(header, columns.length > 0);
  const mapped = new Map(
    Object.entries(mapping).flatMap(([field, column]) => (column === "" ? [] : [[column, field]])),
  );
  const taken = new Set(Object.keys(mapping));
  const fields = header.map((column) => {
    const mappedField = mapped.get(column);
    if (mappedField !== undefined) return mappedField;
    const field = fieldOf(column, dialect);
    return field === null || taken.has(field) ? null : field;
  });
  const twice = fields.find((field, i) => field !== null && fields.indexOf(field) !== i);
  if (twice) throw invalidFields([fieldError("file", `has two columns for ${twice}.`)]);
  const misnamed = header.find(
    (column, i) => fields[i] === null && (isDateColumn(column) || hasDates(rows, i)),
  );
  if (misnamed !== undefined && !fields.includes("scheduledFor")) {
    const message = `the column ${misnamed.slice(0, 50)} is no field here. Name it scheduledFor, or map it.`;
    throw invalidFields([fieldError("file", message)]);
  }
  return { dialect, fields };
}

/** A post whose date is overlooked goes out at once. */
const DATE_WORDS =
  /(?:^|_)(?:date|datetime|time|when)(?:_|$)|s\w?hedul|(?:publish|post|send|posting)_(?:at|on)|go_live/;

const isDateColumn = (column: string): boolean =>
  isMisnamedDate(column) ||
  DATE_WORDS.test(
    column
      .replace(/([a-z])([A-Z])/g, "$1_$2")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "_"),
  );

const DATE_CELL =
  /^\s*(?:\d{1,4}([-./])\d{1,2}\1\d{1,4}(?:[\sT,]|$)|(?:\d{1,2}\.?\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d)/i;

function hasDates(rows: Sheet["rows"], column: number): boolean {
  const texts = rows.map(({ cells }) => cells[column] ?? "").filter((text) => text.trim() !== "");
  const dates = texts.filter((text) => DATE_CELL.test(text)).length;
  return dates > 0 && dates * 2 >= texts.length;
}

function fieldOf(column: string, { fields }: Dialect): string | null {
  const key = columnKey(column);
  if (Object.hasOwn(fields, key)) return fields[key] ?? null;
  if (isField(column)) return column;
  const bare = key.replaceAll(/[ _-]/g, "");
  return (
    [...IMPORT_FIELDS, ...POST_FIELDS].find(
      (field) => field.replaceAll("_", "").toLowerCase() === bare,
    ) ?? null
  );
}

function mapErrors(field: string, column: string, header: readonly string[]): FieldError[] {
  if (!isField(field) && field !== ("board" satisfies ForeignField)) {
    const message = `${field.slice(0, 50)} is no field. Fields: ${[...IMPORT_FIELDS, ...POST_FIELDS].join(", ")}, and the settings of each platform.`;
    return [fieldError("mapping", message)];
  }
  if (column === "" || header.includes(column)) return [];
  const message = `the file has no column ${column.slice(0, 50)}. It has ${header.join(", ").slice(0, 300)}.`;
  return [fieldError("mapping", message)];
}
