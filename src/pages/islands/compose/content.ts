import { ZoneClock } from "../../../core/zone.ts";
import { all } from "./page.ts";

interface When {
  kind: string;
  /** Wall time of the workspace, such as 2026-12-01T10:00. */
  at?: string;
  poolId?: number;
}

type OverrideText = "title" | "caption" | "first_comment";

export interface Content {
  accountIds: string[];
  title: string;
  description: string;
  /** By the name of the control. */
  fields: Record<string, string | string[]>;
  overrides: Record<string, Partial<Record<OverrideText, string>>>;
  thread: { text: string; media: number[] }[];
  firstComment: string;
  media: { mediaId: string; altText: string }[];
  thumbnailMediaId: string | null;
  when: When;
}

const APART =
  /^(?:draft|version|key|upload|do|team|accountId|title|description|thread|first_comment|mediaId|altText|mediaPart|thumbnailMediaId|when|date|time|poolId|photo|video|file|thumbnail|creator|overrides\..*)$/;
const ALLOWED = /\.allow_/;

function fieldsOf(form: HTMLFormElement, data: FormData): Content["fields"] {
  const fields: Content["fields"] = {};
  for (const name of new Set(data.keys())) {
    if (APART.test(name) || ALLOWED.test(name)) continue;
    const values = data.getAll(name).filter((value) => typeof value === "string" && value !== "");
    const [first] = values as string[];
    if (first !== undefined) fields[name] = values.length === 1 ? first : (values as string[]);
  }
  for (const box of all<HTMLInputElement>("[data-tiktok] [name*='.allow_']", form)) {
    fields[box.name.replace(ALLOWED, ".disable_")] = String(!box.checked);
  }
  return fields;
}

function overridesOf(data: FormData): Content["overrides"] {
  const overrides: Content["overrides"] = {};
  for (const [name, value] of data) {
    const [start, key = "", text] = name.split(".");
    if (start !== "overrides" || typeof value !== "string" || value.trim() === "") continue;
    overrides[key] = { ...overrides[key], [text as OverrideText]: value };
  }
  return overrides;
}

function whenOf(data: FormData): When {
  const text = (name: string) => String(data.get(name) ?? "");
  const kind = text("when") || "now";
  const [date, time, pool] = [text("date"), text("time"), text("poolId")];
  return {
    kind,
    ...(date && time ? { at: `${date}T${time.slice(0, "10:00".length)}` } : {}),
    ...(pool ? { poolId: Number(pool) } : {}),
  };
}

export function readContent(form: HTMLFormElement): Content {
  const data = new FormData(form);
  const texts = (name: string) => data.getAll(name).map(String);
  const parts = texts("mediaPart").map(Number);
  const indexesOf = (part: number) => parts.flatMap((one, i) => (one === part ? [i] : []));
  const altTexts = texts("altText");
  return {
    accountIds: texts("accountId"),
    title: texts("title")[0] ?? "",
    description: texts("description")[0] ?? "",
    fields: fieldsOf(form, data),
    overrides: overridesOf(data),
    thread: texts("thread")
      .map((text, i) => ({ text, media: indexesOf(i + 1) }))
      .filter(({ text, media }) => text.trim() !== "" || media.length > 0),
    firstComment: texts("first_comment")[0] ?? "",
    media: texts("mediaId").map((mediaId, i) => ({ mediaId, altText: altTexts[i] ?? "" })),
    thumbnailMediaId: texts("thumbnailMediaId")[0] || null,
    when: whenOf(data),
  };
}

export function instantOf({ at }: When, zone: string): Date | null {
  const [day, time] = at?.split("T") ?? [];
  return day && time ? new Date(new ZoneClock(zone).instantOf(day, time).at) : null;
}
