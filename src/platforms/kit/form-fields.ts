import * as z from "zod";

/** A field as the form brings it: once, or repeated. */
export const formField = z.union([z.string(), z.array(z.string())]).optional();

export type RawField = z.infer<typeof formField>;

/** The last value of a repeated field; empty when it is left out or blank. */
export const lastOf = (raw: RawField): string =>
  (typeof raw === "string" ? raw : (raw?.at(-1) ?? "")).trim();

type Refuse = (message: string) => never;

/** A field of one value; `read` is not asked for one that is left out or blank, which is null. */
export const single = <T>(read: (text: string, refuse: Refuse) => T) =>
  formField.transform((raw, ctx): T | null => {
    const text = lastOf(raw);
    if (text === "") return null;
    return read(text, (message) => {
      ctx.addIssue({ code: "custom", message });
      return z.NEVER;
    });
  });

const MAX_SHOWN_CHARACTERS = 60;

/** Quotes the text that was sent, cut to 60 characters. */
export const shown = (text: string): string =>
  `"${text.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed()}"`;

/** One of `values` in whatever case. */
export const choice = <const T extends string>(values: readonly T[]) =>
  single((text, refuse): T => {
    const found = values.find((value) => value.toLowerCase() === text.toLowerCase());
    return found ?? refuse(`must be one of ${values.join(", ")}; ${shown(text)} was sent.`);
  });

const BOOLEANS = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** `true`, `false`, `1` or `0`. */
export const flag = single(
  (text, refuse): boolean =>
    BOOLEANS.get(text.toLowerCase()) ?? refuse(`must be true or false; ${shown(text)} was sent.`),
);

/** A whole number from `least` to `most`. */
export const wholeNumber = (least: number, most: number) =>
  single((text, refuse): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    return refuse(`must be a whole number from ${least} to ${most}.`);
  });

/** The value of a field that was left out. */
export const otherwise = <T, const D>(read: z.ZodType<T | null>, value: D) =>
  read.transform((given): T | D => given ?? value);

/** The strings of a JSON array, or null when `text` is anything else. */
export function readJsonList(text: string): string[] | null {
  if (!text.trimStart().startsWith("[")) return null;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((item) => typeof item === "string") ? list : null;
  } catch {
    return null;
  }
}

/** The different entries of a comma-separated, repeated or JSON list, in their order. */
export function readList(raw: RawField): string[] {
  const texts = typeof raw === "string" ? [raw] : (raw ?? []);
  const entries = texts.flatMap((text) => readJsonList(text) ?? text.split(","));
  return [...new Set(entries.map((entry) => entry.trim()).filter((entry) => entry !== ""))];
}

/** Facts about a field for callers: the capabilities and the API document are made of it. */
export interface FieldInfo {
  type: "string" | "boolean" | "integer" | "array";
  /** The only values that are taken. */
  values?: readonly string[];
  required?: boolean;
  /** Most characters of its text; left out where the platform counts them in a way of its own. */
  maxLength?: number;
  /** Least and most of an integer. */
  minimum?: number;
  maximum?: number;
  /** Without the platform's name, which stands before it. */
  description: string;
}

const infos = z.registry<FieldInfo>();

/** A form field of a platform with what is said about it. */
export function field<T extends z.ZodType>(schema: T, info: FieldInfo): T {
  const own = schema.describe(info.description);
  infos.add(own, info);
  return own;
}

/** Returns the facts about each field of a platform's settings, by wire name. */
export const fieldInfos = (settings: z.ZodType): Record<string, FieldInfo> =>
  settings instanceof z.ZodObject
    ? Object.fromEntries(
        Object.entries(settings.shape).map(([name, schema]) => [
          name,
          infos.get(schema) ?? { type: "string", description: "" },
        ]),
      )
    : {};
