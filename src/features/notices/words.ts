import type { Platform } from "../../core/platforms.ts";
import type { NoticeName } from "./rules.ts";

/** Untrusted texts of other people. */
export interface Occurrence {
  name: NoticeName;
  by: "client" | "team" | null;
  /** The words of a post, or the address of a webhook. */
  what: string;
  /** Account and platform, or the team. */
  where: string;
  note: string | null;
  /** Path of the page that the notice links to. */
  path: string;
  /** Null when unknown. */
  origin: string | null;
}

/** Spec is silent. */
const MAX_LISTED = 10;
const WHAT_CHARACTERS = 100;
export const NOTE_CHARACTERS = 500;

/** Characters that break a line or change the direction of text. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

export function toLine(text: string, max: number): string {
  const line = text.toWellFormed().replace(UNSEEN, " ").replace(/\s+/g, " ").trim();
  const characters = [...line];
  return characters.length <= max ? line : `${characters.slice(0, max).join("").trimEnd()}…`;
}

export function firstWords(texts: readonly (string | null)[]): string {
  const line = texts.map((text) => toLine(text ?? "", WHAT_CHARACTERS)).find(Boolean);
  return line ? `“${line}”` : "A post without text";
}

const DECIDERS = { client: "A client", team: "Your team" } as const;

const HEADLINES: Record<NoticeName, (count: number, decider: string) => string> = {
  "upload.approved": (count, decider) => `${decider} approved ${posts(count)}`,
  "upload.changes_requested": (count, decider) => `${decider} asked for changes to ${posts(count)}`,
  "upload.failed": (count) =>
    count === 1 ? "A post could not be published" : `${count} posts could not be published`,
  "webhook.disabled": (count) =>
    count === 1 ? "A webhook was switched off" : `${count} webhooks were switched off`,
  "login.ending": (count) =>
    count === 1
      ? "An account has to be connected again"
      : `${count} accounts have to be connected again`,
  "domain.ending": (count) =>
    count === 1 ? "A domain loses its links soon" : `${count} domains lose their links soon`,
  "domain.ended": (count) =>
    count === 1 ? "A domain has lost its links" : `${count} domains have lost their links`,
  "slot.waiting": (count) =>
    count === 1
      ? "A slot of a pool waits for its account"
      : `${count} slots of pools wait for their accounts`,
  "database.filling": () => "The database of your instance fills up",
  "backup.late": () => "Backups of this instance are late",
};

const posts = (count: number): string => (count === 1 ? "a post" : `${count} posts`);

export type Several = readonly [Occurrence, ...Occurrence[]];

/** A mail's subject, without untrusted text. */
export const headlineOf = ([first, ...more]: Several): string =>
  HEADLINES[first.name](1 + more.length, DECIDERS[first.by ?? "team"]);

export const noteOf = ({ note }: Occurrence): string | null =>
  note && toLine(note, NOTE_CHARACTERS);

export const listed = (all: Several): readonly Occurrence[] => all.slice(0, MAX_LISTED);

export const unlisted = ({ length }: Several): string | null =>
  length > MAX_LISTED ? `And ${length - MAX_LISTED} more.` : null;

export const lines = (...parts: (string | null)[]): string => parts.filter(Boolean).join("\n");

export const addressOf = ({ origin, path }: Occurrence): string | null =>
  origin === null ? null : origin + path;

export function toMail(all: Several): { subject: string; text: string } {
  const [{ origin }] = all;
  const items = listed(all).map((one) =>
    lines(one.what, toLine(one.where, NOTE_CHARACTERS), noteOf(one), (origin ?? "") + one.path),
  );
  return {
    subject: headlineOf(all),
    text: [
      `${headlineOf(all)}:`,
      ...items,
      ...[unlisted(all)].filter((line) => line !== null),
      `Choose which notices you get in the settings: ${origin ?? ""}/app/settings#notifications`,
    ].join("\n\n"),
  };
}

export interface PushText {
  title: string;
  body: string;
  path: string;
}

/** Notifications show no more; push messages hold 4 KB. */
const BODY_CHARACTERS = 300;

export function toPush(all: Several): PushText {
  const [first, ...more] = all;
  const body = more.length
    ? all.map(({ what }) => what).join("\n")
    : lines(first.what, toLine(first.where, WHAT_CHARACTERS), noteOf(first));
  const characters = [...body];
  return {
    title: headlineOf(all),
    body: characters.slice(0, BODY_CHARACTERS).join(""),
    path: more.length ? first.path.slice(0, first.path.lastIndexOf("/")) : first.path,
  };
}

export const placeOf = (
  account: string | null,
  platform: Platform,
  nameOf: (platform: Platform) => string,
): string => (account ? `${account} (${nameOf(platform)})` : nameOf(platform));
