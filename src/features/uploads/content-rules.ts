import type { Platform } from "../../core/platforms.ts";
import { DAY } from "../../core/time.ts";
import type { Violation } from "./admission.ts";
import type { MediaRef } from "./table.ts";

/** A post of the account, out or planned, as it is compared with a new one. */
export interface RecentPost {
  accountId: string;
  text: string;
  media: MediaRef[];
  /** When it was or is to be published. */
  at: Date;
}

/** The new post. `blocklist`: lower case. */
export interface Candidate extends RecentPost {
  platform: Platform;
  blocklist: readonly string[];
}

/** Source: spec, "Daily posting caps": duplicate or very similar content within 48 hours. */
export const DUPLICATE_WINDOW_MS = 2 * DAY;
/** Spec is silent on the figures from here to the end of the list. */
const MENTION_WINDOW_MS = DAY;
const MAX_MENTIONS = 20;
const MAX_POSTS_PER_MENTION = 5;
const MIN_COMPARED_CHARACTERS = 20;
const MIN_SIMILARITY = 0.9;

const MENTION = /(?<![\p{L}\p{N}_.@/])@[a-z0-9_][a-z0-9_.-]*/giu;

/** Letters and digits alone, in lower case: what two texts have to share to be the same. */
export const essence = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

function trigrams(text: string): Set<string> {
  const found = new Set<string>();
  for (let i = 0; i + 3 <= text.length; i++) found.add(text.slice(i, i + 3));
  return found;
}

/** The share of runs of three characters that both have, of all that one of them has: 0 to 1. */
export function similarity(a: string, b: string): number {
  const [one, other] = [trigrams(a), trigrams(b)];
  const shared = [...one].filter((run) => other.has(run)).length;
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

function isSameText(a: string, b: string): boolean {
  const [one, other] = [essence(a), essence(b)];
  if (one === "" && other === "") return a.trim() === b.trim();
  if (one === other) return true;
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  if (shorter.length < MIN_COMPARED_CHARACTERS) return false;
  // So unlike in length, no two texts are so much alike: nothing has to be compared.
  if (shorter.length < longer.length * MIN_SIMILARITY) return false;
  return similarity(one, other) >= MIN_SIMILARITY;
}

const fileNames = (media: readonly MediaRef[]): string =>
  media
    .map((item) => ("sha256" in item ? item.sha256 : item.url))
    .sort()
    .join(" ");

const mentionsIn = (text: string): string[] =>
  (text.match(MENTION) ?? []).map((one) => one.toLowerCase());

const within = (a: Date, b: Date, ms: number): boolean => Math.abs(a.getTime() - b.getTime()) <= ms;

function duplicate(post: Candidate, recent: readonly RecentPost[]): Violation[] {
  // X has a rule of its own, over 30 days, when the post goes out.
  if (post.platform === "x") return [];
  const files = fileNames(post.media);
  const same = recent.find(
    (other) =>
      within(other.at, post.at, DUPLICATE_WINDOW_MS) &&
      fileNames(other.media) === files &&
      isSameText(other.text, post.text),
  );
  if (!same) return [];
  const message = `The account has the same post, or one very much like it, at ${same.at.toISOString()}. Change the text or the files.`;
  return [{ platform: post.platform, type: "duplicate_content", message }];
}

function mentionSpam(post: Candidate, recent: readonly RecentPost[]): Violation[] {
  const told = (message: string): Violation[] => [
    { platform: post.platform, type: "mention_spam", message },
  ];
  const mentions = mentionsIn(post.text);
  if (mentions.length > MAX_MENTIONS) {
    return told(`The post mentions ${mentions.length} accounts; ${MAX_MENTIONS} are taken.`);
  }
  if (mentions.length === 0) return [];
  const others = recent
    .filter((other) => within(other.at, post.at, MENTION_WINDOW_MS))
    .map((other) => new Set(mentionsIn(other.text)));
  const often = [...new Set(mentions)].find(
    (mention) => others.filter((known) => known.has(mention)).length + 1 >= MAX_POSTS_PER_MENTION,
  );
  if (!often) return [];
  return told(
    `${often} would be in ${MAX_POSTS_PER_MENTION} posts of the account within 24 hours.`,
  );
}

function unsafe(post: Candidate): Violation[] {
  const text = post.text.toLowerCase();
  const word = post.blocklist.find((one) => text.includes(one));
  if (!word) return [];
  const message = `The text holds "${word}", which is on the team's blocklist.`;
  return [{ platform: post.platform, type: "unsafe_content", message }];
}

/** What in a new post's content goes against the rules of the house. `recent`: of the same account. */
export const contentViolations = (post: Candidate, recent: readonly RecentPost[]): Violation[] => [
  ...duplicate(post, recent),
  ...mentionSpam(post, recent),
  ...unsafe(post),
];
