import type { Clock } from "../../../pages/times.tsx";
import {
  type Browser,
  COUNTRIES,
  type DEVICES,
  type StoredRule,
  type SYSTEMS,
} from "../../links/own.ts";

const regions = new Intl.DisplayNames("en", { type: "region" });
const tongues = new Intl.DisplayNames("en", { type: "language" });

export const countryName = (code: string): string => {
  try {
    return regions.of(code) ?? code;
  } catch {
    return code;
  }
};

export const languageName = (tag: string): string => {
  try {
    return tongues.of(tag) ?? tag;
  } catch {
    return tag;
  }
};

export const COUNTRY_NAMES = [...COUNTRIES]
  .map((code) => [code, countryName(code)] as const)
  .sort(([, a], [, b]) => a.localeCompare(b, "en"));

const codes = new Map(COUNTRY_NAMES.map(([code, name]) => [name.toLowerCase(), code]));

export const countryCodeOf = (text: string): string => codes.get(text.toLowerCase()) ?? text;

export const DEVICE_WORDS: Record<(typeof DEVICES)[number], string> = {
  mobile: "Phone",
  desktop: "Computer",
  tablet: "Tablet",
};

export const SYSTEM_WORDS: Record<(typeof SYSTEMS)[number], string> = {
  ios: "iOS",
  android: "Android",
  macos: "macOS",
  windows: "Windows",
  linux: "Linux",
};

export const BROWSER_WORDS: Record<Browser, string> = {
  "mobile-ios": "iPhone",
  "tablet-ios": "iPad",
  "mobile-android": "Phone with Android",
  "tablet-android": "Tablet with Android",
  "desktop-windows": "Computer with Windows",
  "desktop-macos": "Mac",
  "desktop-linux": "Computer with Linux",
  "desktop-other": "Computer with another system",
};

export type RuleType = StoredRule["type"];

export const RULE_WORDS: Record<RuleType, string> = {
  geo: "Country",
  device: "Device",
  language: "Language",
  time: "Time",
  referer: "Coming from",
};

export const RULE_TYPES = Object.keys(RULE_WORDS) as RuleType[];

export const wordOf = (words: Record<string, string>, name: string): string => words[name] ?? name;

const anyOf = (list: string, toWord: (item: string) => string): string =>
  list.split(",").map(toWord).join(" or ");

const MAX_WORDS = 160;

const short = (text: string): string =>
  text.length > MAX_WORDS ? `${text.slice(0, MAX_WORDS).trimEnd()}…` : text;

export function conditionOf(rule: StoredRule, clock: Clock): string {
  const zone = clock.zone ?? "UTC";
  const moment = (iso: string) => `${clock.local(new Date(iso))} (${zone})`;
  switch (rule.type) {
    case "geo":
      return short(`the country is ${anyOf(rule.countryCodes, countryName)}`);
    case "device": {
      const { devices, os } = rule;
      return [
        ...(devices
          ? [`the device is a ${anyOf(devices, (one) => wordOf(DEVICE_WORDS, one).toLowerCase())}`]
          : []),
        ...(os ? [`the system is ${anyOf(os, (one) => wordOf(SYSTEM_WORDS, one))}`] : []),
      ].join(" and ");
    }
    case "language":
      return short(`the browser prefers ${anyOf(rule.languages, languageName)}`);
    case "time":
      return [
        ...(rule.startTime ? [`from ${moment(rule.startTime)}`] : []),
        ...(rule.endTime ? [`until ${moment(rule.endTime)}`] : []),
      ].join(" ");
    case "referer":
      return short(`the visitor comes from ${anyOf(rule.referers, (one) => one)}`);
    default:
      throw rule satisfies never;
  }
}
