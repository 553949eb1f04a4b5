import type { Context } from "hono";
import { csvOf } from "../../../core/csv-text.ts";
import type { Part, Period } from "../../analytics/period.ts";
import { toDate } from "../../analytics/rules/days.ts";
import type { Table } from "./tables.ts";

export const tableName = (file: string): string => file.replace(/\.csv$/, "");

const MAX_PART = 40;

/** Lower-case letters, digits and hyphens: a header takes no others. Empty for a text without any. */
const inFileName = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim()
    .replaceAll(" ", "-")
    .slice(0, MAX_PART);

export const accountInFile = ({ id, name, platform }: Period["accounts"][number]): string =>
  `${inFileName(name) || id}-${platform}`;

/** What the figures are of: the days, and what was chosen. */
export function periodInFile({ filter, from, to, accounts }: Period, part: Part): string[] {
  const account = accounts.find(({ id }) => id === filter.account);
  const chosen = account ? accountInFile(account) : (part.platform ?? filter.platform);
  return [chosen, filter.tag, `${toDate(from)}-to-${toDate(to - 1)}`];
}

/** @param of more of the file's name */
export function sendCsv(c: Context, { name, head, rows }: Table, of: readonly string[]): Response {
  const file = ["analytics", name, ...of.map(inFileName)].filter(Boolean).join("-");
  return c.body(csvOf([head, ...rows]), 200, {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="${file}.csv"`,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  });
}
