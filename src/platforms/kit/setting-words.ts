import type { Post } from "../connector.ts";
import type { SettingWords } from "../likeness.ts";

type Say = (value: unknown) => string | null;

type Words = readonly [label: string, say: Say];

const when =
  (isOn: boolean) =>
  (words: string): Say =>
  (value) =>
    value === isOn ? words : null;
export const ifOn = when(true);
export const ifOff = when(false);

export const onOrOff: Say = (value) => (typeof value === "boolean" ? (value ? "Off" : "On") : null);

export const oneOf =
  (words: Record<string, string>): Say =>
  (value) =>
    typeof value === "string" ? (words[value] ?? value) : null;

export const text: Say = (value) => {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : null;
};

export const numbered: Say = (value) => {
  const id = text(value);
  return id === null ? null : `No. ${id}`;
};

export const hostOf: Say = (value) => {
  const url = URL.parse(String(value ?? ""));
  return url ? `From ${url.host}` : null;
};

export const entriesOf = (list: unknown): string[] =>
  (Array.isArray(list) ? list : [list]).map((one) => text(one)).filter((one) => one !== null);

export const listOf =
  (say: (one: string) => string = (one) => one): Say =>
  (value) =>
    entriesOf(value).map(say).join(", ") || null;

export const people = listOf((name) => `@${name}`);

export const atSecond: Say = (value) => {
  const ms = Number(value ?? Number.NaN);
  return Number.isFinite(ms) ? `The frame at ${ms / 1_000} s` : null;
};

const names: Partial<Record<"language" | "region", Intl.DisplayNames>> = {};

function nameOf(type: "language" | "region", code: string): string {
  try {
    names[type] ??= new Intl.DisplayNames("en", { type });
    return names[type].of(type === "region" ? code : code.toLowerCase()) ?? code;
  } catch {
    return code;
  }
}

export const languages = listOf((code) => nameOf("language", code));
export const countries = listOf((code) => nameOf("region", code));

const MINUTES_OF_DAY = 1_440;
const MINUTES_OF_HOUR = 60;

export const duration: Say = (value) => {
  if (typeof value !== "number") return null;
  const [size, unit] =
    value % MINUTES_OF_DAY === 0
      ? [MINUTES_OF_DAY, "day"]
      : value % MINUTES_OF_HOUR === 0
        ? [MINUTES_OF_HOUR, "hour"]
        : [1, "minute"];
  const count = value / size;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
};

/** For a setting that the likeness shows or readers do not see. */
export const silent: Say = () => null;

export const EVERYONE = "Everyone";
export const MADE_WITH_AI: Words = ["Label", ifOn("Made with AI")];
export const PAID_PARTNERSHIP: Words = ["Label", ifOn("Paid partnership")];
export const ALT_TEXT: Words = ["Alternative text", silent];

/** Shown as stored, so that reviewers miss nothing. */
const unnamed = (name: string, value: unknown): SettingWords[] => {
  const shown = listOf()(value);
  return shown === null ? [] : [{ label: name, value: shown }];
};

/** @param leftOut settings not sent with this post */
export const settingWords =
  <S extends object>(
    words: Record<keyof S & string, Words>,
    leftOut: (post: Post<S>) => readonly (keyof S)[] = () => [],
  ) =>
  (post: Post<S>): SettingWords[] => {
    const byName = new Map<string, Words>(Object.entries(words));
    const silenced = new Set<PropertyKey>(leftOut(post));
    return Object.entries(post.settings).flatMap(([name, value]) => {
      if (value === null || value === undefined || silenced.has(name)) return [];
      const own = byName.get(name);
      if (!own) return unnamed(name, value);
      const [label, say] = own;
      const shown = say(value);
      return shown === null ? [] : [{ label, value: shown }];
    });
  };
