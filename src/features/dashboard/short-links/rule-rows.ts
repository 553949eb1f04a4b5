import { invalidFields } from "../../../core/errors.ts";
import { parseInstant } from "../../../core/time.ts";
import { ZoneClock } from "../../../core/zone.ts";
import type { StoredRule } from "../../links/own.ts";
import { countryCodeOf, RULE_TYPES, type RuleType } from "./words.ts";

/** A rule as the form shows it. Times are of a wall clock, such as 2026-12-01T09:00. */
export interface RuleRow {
  type: RuleType;
  destination: string;
  countryCodes: string;
  devices: readonly string[];
  os: readonly string[];
  languages: string;
  startTime: string;
  endTime: string;
  /** The stored moments, which a wall clock shows less exactly. */
  startAt: string;
  endAt: string;
  referers: string;
}

export const emptyRow = (type: RuleType): RuleRow => ({
  type,
  destination: "",
  countryCodes: "",
  devices: [],
  os: [],
  languages: "",
  startTime: "",
  endTime: "",
  startAt: "",
  endAt: "",
  referers: "",
});

const spaced = (list: string): string => list.replaceAll(",", ", ");
const listed = (list: string | undefined): string[] => list?.split(",") ?? [];

export function toRow(rule: StoredRule, zone: ZoneClock): RuleRow {
  const row = { ...emptyRow(rule.type), destination: rule.destination };
  const wall = (iso = "") => (iso === "" ? "" : zone.wallTimeAt(Date.parse(iso)));
  switch (rule.type) {
    case "geo":
      return { ...row, countryCodes: spaced(rule.countryCodes) };
    case "device":
      return { ...row, devices: listed(rule.devices), os: listed(rule.os) };
    case "language":
      return { ...row, languages: spaced(rule.languages) };
    case "time": {
      const { startTime: startAt = "", endTime: endAt = "" } = rule;
      return { ...row, startTime: wall(startAt), endTime: wall(endAt), startAt, endAt };
    }
    case "referer":
      return { ...row, referers: spaced(rule.referers) };
    default:
      throw rule satisfies never;
  }
}

const FIELD = /^rules\.(\w{1,12})\.(\w{1,20})$/;

export function readRows(form: FormData): Map<string, RuleRow> {
  const fields = new Map<string, Map<string, string[]>>();
  for (const [name, value] of form) {
    const [, key, field] = FIELD.exec(name) ?? [];
    if (key === undefined || field === undefined || typeof value !== "string") continue;
    const row = fields.get(key) ?? new Map<string, string[]>();
    fields.set(key, row.set(field, [...(row.get(field) ?? []), value.trim()]));
  }
  const rows = new Map<string, RuleRow>();
  for (const [key, row] of fields) {
    const text = (name: string) => row.get(name)?.[0] ?? "";
    const type = RULE_TYPES.find((one) => one === text("type"));
    if (type === undefined) continue;
    const countries = [text("countryCodes"), text("moreCountries")].filter(Boolean).join(", ");
    rows.set(key, {
      type,
      destination: text("destination"),
      countryCodes: countries
        .split(",")
        .map((one) => countryCodeOf(one.trim()))
        .filter(Boolean)
        .join(", "),
      devices: row.get("devices") ?? [],
      os: row.get("os") ?? [],
      languages: text("languages"),
      startTime: text("startTime"),
      endTime: text("endTime"),
      startAt: text("startAt"),
      endAt: text("endAt"),
      referers: text("referers"),
    });
  }
  return rows;
}

/** More rules are changed by the API. */
export const MAX_SHOWN_RULES = 100;

/** @throws AppError 400 for more rows than the page shows again, and for a form that is not whole */
export function requireRows(form: FormData, rows: ReadonlyMap<string, RuleRow>): void {
  const sent = new Set([...form.keys()].flatMap((name) => FIELD.exec(name)?.[1] ?? []));
  const refuse = (message: string) => invalidFields([{ field: "rules", message }]);
  if ([...form].length === 0 || sent.size > rows.size) {
    throw refuse("The form did not arrive whole, so no rule was changed. Open its page again.");
  }
  if (rows.size > MAX_SHOWN_RULES) {
    throw refuse(
      `This page takes at most ${MAX_SHOWN_RULES} rules. Remove some, or save them all by the API.`,
    );
  }
}

const WALL = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::\d{2})?$/;

/** What cannot be read is sent on as it is, and refused there. */
function momentOf(wall: string, stored: string, zone: ZoneClock): string | undefined {
  if (wall === "") return undefined;
  const [, day, time] = WALL.exec(wall) ?? [];
  if (day === undefined || time === undefined) return wall;
  if (!parseInstant(`${day}T${time}:00Z`)) return wall;
  const before = Date.parse(stored);
  if (!Number.isNaN(before) && zone.wallTimeAt(before) === `${day}T${time}`) return stored;
  return new Date(zone.instantOf(day, time).at).toISOString();
}

const orNone = (list: readonly string[]): string | undefined =>
  list.length > 0 ? list.join(",") : undefined;

const conditionsOf = (row: RuleRow, zone: ZoneClock): object => {
  const { type, countryCodes, devices, os, languages, referers } = row;
  switch (type) {
    case "geo":
      return { countryCodes };
    case "device":
      return { devices: orNone(devices), os: orNone(os) };
    case "language":
      return { languages };
    case "time":
      return {
        startTime: momentOf(row.startTime, row.startAt, zone),
        endTime: momentOf(row.endTime, row.endAt, zone),
      };
    case "referer":
      return { referers };
    default:
      throw type satisfies never;
  }
};

export const toRules = (rows: readonly RuleRow[], zone: ZoneClock): object[] =>
  rows.map((row, i) => ({
    type: row.type,
    destination: row.destination,
    priority: rows.length - 1 - i,
    ...conditionsOf(row, zone),
  }));

/** UTC for an unknown zone. */
export function zoneNamed(name: string): ZoneClock {
  try {
    const zone = new ZoneClock(name);
    zone.offsetAt(0);
    return zone;
  } catch {
    return new ZoneClock("UTC");
  }
}

export function changeRows(rows: Map<string, RuleRow>, action: string): RuleRow[] {
  const list = [...rows.values()];
  const [what = "", which = ""] = action.split(":");
  const at = [...rows.keys()].indexOf(which);
  const row = list[at];
  if (what === "add") {
    const type = RULE_TYPES.find((one) => one === which);
    return type === undefined ? list : [...list, emptyRow(type)];
  }
  if (row === undefined) return list;
  const rest = list.toSpliced(at, 1);
  if (what === "remove") return rest;
  const to = Math.min(Math.max(at + (what === "up" ? -1 : 1), 0), rest.length);
  return rest.toSpliced(to, 0, row);
}
