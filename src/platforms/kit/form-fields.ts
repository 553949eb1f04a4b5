import type { FieldError } from "../../core/errors.ts";
import { refusedUrl, type UrlPolicy } from "../../core/url-policy.ts";

export type RawField = string | string[] | undefined;

/** Refuses the field's value. The reader's own result is then not used. */
type Refuse = (message: string) => never;

/** Written without zod, which starts slowly, because publishing loads these files. */
export type FieldReader<T> = (raw: RawField, refuse: Refuse) => T;

export const lastOf = (raw: RawField): string =>
  (typeof raw === "string" ? raw : (raw?.at(-1) ?? "")).trim();

export const single =
  <T>(read: (text: string, refuse: Refuse) => T): FieldReader<T | null> =>
  (raw, refuse) => {
    const text = lastOf(raw);
    return text === "" ? null : read(text, refuse);
  };

export const anyText = single((text) => text);

const MAX_SHOWN_CHARACTERS = 60;

export const shown = (text: string): string =>
  `"${text.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed()}"`;

export const choice = <const T extends string>(values: readonly T[]) =>
  single((text, refuse): T => {
    const match = values.find((value) => value.toLowerCase() === text.toLowerCase());
    return match ?? refuse(`must be one of ${values.join(", ")}; ${shown(text)} was sent.`);
  });

const BOOLEANS = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

export const flag = single(
  (text, refuse): boolean =>
    BOOLEANS.get(text.toLowerCase()) ?? refuse(`must be true or false; ${shown(text)} was sent.`),
);

export const wholeNumber = (least: number, max: number, kind = `from ${least} to ${max}`) =>
  single((text, refuse): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= max) return number;
    return refuse(`must be a whole number ${kind}.`);
  });

/** Ids stay text: they exceed the range of numbers. */
export const numericId = (thing: string, max: number) =>
  single((text, refuse): string =>
    /^\d+$/.test(text) && text.length <= max ? text : refuse(`must be the numeric id of ${thing}.`),
  );

/** Returns ASCII, the only form that platforms take. */
export const publicUrl = (policy: Pick<UrlPolicy, "allowHttp"> = {}) =>
  single((text, refuse): string => {
    const reason = refusedUrl(text, policy);
    return reason ? refuse(`${reason}.`) : new URL(text).href;
  });

export const languageTag = single((text, refuse): string => {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? text;
  } catch {
    return refuse(`must be a BCP-47 language tag, such as en or pt-BR; ${shown(text)} was sent.`);
  }
});

export const otherwise =
  <T, const D>(read: FieldReader<T | null>, value: D): FieldReader<T | D> =>
  (raw, refuse) =>
    read(raw, refuse) ?? value;

export function readJsonArray(text: string): unknown[] | null {
  if (!text.trimStart().startsWith("[")) return null;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}

export function readJsonList(text: string): string[] | null {
  const list = readJsonArray(text);
  return list?.every((item) => typeof item === "string") ? list : null;
}

/** Reads a comma-separated, JSON or repeated field. Removes duplicates. */
export function readList(raw: RawField): string[] {
  const texts = typeof raw === "string" ? [raw] : (raw ?? []);
  const entries = texts.flatMap((text) => readJsonList(text) ?? text.split(","));
  return [...new Set(entries.map((entry) => entry.trim()).filter((entry) => entry !== ""))];
}

/** Choices of a poll. Keeps repeated ones, so that a refusal shows what was sent. */
export const pollOptions: FieldReader<string[]> = (raw) => {
  const texts = typeof raw === "string" ? [raw] : (raw ?? []);
  const isOneList = texts.length === 1;
  return texts
    .flatMap((text) => readJsonList(text) ?? (isOneList ? text.split(",") : [text]))
    .map((option) => option.trim())
    .filter((option) => option !== "");
};

const MAX_REFUSED = 10;

export function refuseEach(
  entries: readonly string[],
  toMessage: (entry: string) => string,
  refuse: Refuse,
): void {
  for (const entry of entries.slice(0, MAX_REFUSED)) refuse(toMessage(entry));
}

/**
 * Several of the values, in any case of letters.
 * @param kind for example "a Bluesky label"
 */
export const choices =
  (values: readonly string[], kind: string): FieldReader<string[]> =>
  (raw, refuse) => {
    const entries = readList(raw);
    const wrong = entries.filter((entry) => !values.includes(entry.toLowerCase()));
    const allowed = values.join(", ");
    refuseEach(wrong, (entry) => `${shown(entry)} is not ${kind}; use ${allowed}.`, refuse);
    return entries.map((entry) => entry.toLowerCase());
  };

/** @param things such as "tags of a forum" */
export const numericIds =
  (things: string, maxDigits: number, maxCount: number): FieldReader<string[]> =>
  (raw, refuse) => {
    const ids = readList(raw);
    const wrong = ids.filter((id) => !/^\d+$/.test(id) || id.length > maxDigits);
    refuseEach(wrong, (id) => `must have numeric ids of ${things}; ${shown(id)} was sent.`, refuse);
    if (ids.length > maxCount) refuse(`takes up to ${maxCount} ids; ${ids.length} were sent.`);
    return ids;
  };

/**
 * Removes duplicates and a leading @.
 * @param kind for example "an X username: letters, digits and underscores, up to 15"
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

export interface FieldInfo {
  /** On pages. Absent where the field's name says it. */
  label?: string;
  type: "string" | "boolean" | "integer" | "array";
  values?: readonly string[];
  required?: boolean;
  /** Agents must send this field. Source: spec, "Agent endpoint". */
  mustBeChosen?: boolean;
  /** Absent where the platform counts characters its own way. */
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  /** The platform's name is added in front. */
  description: string;
}

interface Field<T> {
  read: FieldReader<T>;
  info: FieldInfo;
}

export const field = <T>(read: FieldReader<T>, info: FieldInfo): Field<T> => ({ read, info });

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

export interface FormFields<S> {
  infos: Record<string, FieldInfo>;
  /** `values` are valid only when `errors` is empty. */
  read(raw: Record<string, RawField>): { values: S; errors: FieldError[] };
}

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
