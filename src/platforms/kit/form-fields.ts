import type { FieldError } from "../../core/errors.ts";
import { refusedUrl, type UrlPolicy } from "../../core/url-policy.ts";

/** A field as the form brings it: once, or repeated. */
export type RawField = string | string[] | undefined;

/** Notes a reason to refuse the field; nobody uses the value that its reader returns then. */
type Refuse = (message: string) => never;

/** Returns the value that a field says. Not zod: what publishes loads these too, and waits for it to load. */
export type FieldReader<T> = (raw: RawField, refuse: Refuse) => T;

/** The last value of a repeated field; empty when it is left out or blank. */
export const lastOf = (raw: RawField): string =>
  (typeof raw === "string" ? raw : (raw?.at(-1) ?? "")).trim();

/** A field of one value; `read` is not asked for one that is left out or blank, which is null. */
export const single =
  <T>(read: (text: string, refuse: Refuse) => T): FieldReader<T | null> =>
  (raw, refuse) => {
    const text = lastOf(raw);
    return text === "" ? null : read(text, refuse);
  };

/** The text as it was sent, without blanks around it. */
export const anyText = single((text) => text);

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

/** A whole number from `least` to `most`; `kind` ends the sentence that refuses any other. */
export const wholeNumber = (least: number, most: number, kind = `from ${least} to ${most}`) =>
  single((text, refuse): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    return refuse(`must be a whole number ${kind}.`);
  });

/** The id of a `thing` in digits, up to `most` of them: it may be too large for a number. */
export const numericId = (thing: string, most: number) =>
  single((text, refuse): string =>
    /^\d+$/.test(text) && text.length <= most
      ? text
      : refuse(`must be the numeric id of ${thing}.`),
  );

/** An address that anybody can open, in ASCII: platforms take no other, and a parsed one is written so. */
export const publicUrl = (policy: Pick<UrlPolicy, "allowHttp"> = {}) =>
  single((text, refuse): string => {
    const reason = refusedUrl(text, policy);
    return reason ? refuse(`${reason}.`) : new URL(text).href;
  });

/** The value of a field that was left out. */
export const otherwise =
  <T, const D>(read: FieldReader<T | null>, value: D): FieldReader<T | D> =>
  (raw, refuse) =>
    read(raw, refuse) ?? value;

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

/** Refused entries of one list that are told by name. */
const MAX_REFUSED = 10;

/** Refuses the first ten of these entries one by one. */
export function refuseEach(
  entries: readonly string[],
  toMessage: (entry: string) => string,
  refuse: Refuse,
): void {
  for (const entry of entries.slice(0, MAX_REFUSED)) refuse(toMessage(entry));
}

/**
 * Different usernames in their order, without a leading @.
 *
 * @param kind such as "an X username: letters, digits and underscores, up to 15"
 */
export const usernames =
  (pattern: RegExp, kind: string): FieldReader<string[]> =>
  (raw, refuse) => {
    const names = readList(raw)
      .map((name) => name.replace(/^@/, ""))
      .filter((name) => name !== "");
    const wrong = names.filter((name) => !pattern.test(name));
    refuseEach(wrong, (name) => `${shown(name)} is not ${kind}.`, refuse);
    return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
  };

/** Facts about a field for callers: the capabilities and the API document are made of it. */
export interface FieldInfo {
  type: "string" | "boolean" | "integer" | "array";
  /** The only values that are taken. */
  values?: readonly string[];
  required?: boolean;
  /** An agent has to choose it, though a form may leave it out. Source: spec, "Agent endpoint". */
  mustBeChosen?: boolean;
  /** Most characters of its text; left out where the platform counts them in a way of its own. */
  maxLength?: number;
  /** Least and most of an integer. */
  minimum?: number;
  maximum?: number;
  /** Without the platform's name, which stands before it. */
  description: string;
}

/** A form field of a platform with what is said about it. */
interface Field<T> {
  read: FieldReader<T>;
  info: FieldInfo;
}

export const field = <T>(read: FieldReader<T>, info: FieldInfo): Field<T> => ({ read, info });

/** Reads a field by itself. Returns its value, or why it is refused. */
export function readField<T>(
  read: FieldReader<T>,
  raw: RawField,
): { value: T; refusals: readonly string[] } {
  const refusals: string[] = [];
  const refuse = (message: string) => void refusals.push(message);
  return { value: read(raw, refuse as Refuse), refusals };
}

type Fields = Record<string, Field<unknown>>;
type Values<F extends Fields> = { [N in keyof F]: F[N] extends Field<infer T> ? T : never };

/** The form fields of a platform. */
export interface FormFields<S> {
  /** The facts about each field, by wire name. */
  infos: Record<string, FieldInfo>;
  /** Reads these fields among all that were sent; the values are only good without errors. */
  read(raw: Record<string, RawField>): { values: S; errors: FieldError[] };
}

/** The values that form fields are read as. */
export type SettingsOf<F> = F extends FormFields<infer S> ? S : never;

export const formFields = <F extends Fields>(fields: F): FormFields<Values<F>> => ({
  infos: Object.fromEntries(Object.entries(fields).map(([name, { info }]) => [name, info])),
  read: (raw) => {
    const errors: FieldError[] = [];
    const values = Object.entries(fields).map(([name, { read }]) => {
      const { value, refusals } = readField(read, raw[name]);
      errors.push(...refusals.map((reason) => ({ field: name, message: `${name}: ${reason}` })));
      return [name, value];
    });
    return { values: Object.fromEntries(values) as Values<F>, errors };
  },
});
