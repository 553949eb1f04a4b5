import parseTweet from "twitter-text/dist/esm/parseTweet.js";
import { expect, test } from "vitest";
import type { Platform } from "../../src/core/platforms.ts";
import { connectorOf } from "../../src/platforms/registry.ts";
import { loadOf } from "../support/load.ts";
import { video } from "../support/network.ts";

/** Seeded pseudo-random numbers (mulberry32). */
function randomFrom(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const EMOJI = [
  "😀",
  "👍🏽",
  "👩‍👩‍👧‍👦",
  "🏳️‍🌈",
  "🇫🇷",
  "🇯🇵",
  "❤️",
  "1️⃣",
  "#️⃣",
  "👨🏿‍🚀",
  "🧑🏻‍🤝‍🧑🏿",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "☎",
  "🫠",
];
const OTHERS = [
  "word",
  "Hello,",
  "a",
  "x".repeat(40),
  "été",
  "e\u0301te\u0301",
  "a\u0300\u0301\u0302",
  "ﬁ",
  "ß",
  "日本語",
  "한국어",
  "\u1112\u1161\u11ab",
  "中文字符",
  "ไทย",
  "नमस्ते",
  "עברית",
  "\u202eabc\u202c",
  "\u2066x\u2069",
  "𝒳𝒴",
  "𠮷",
  "a\u200db",
  "#tag",
  "#日本",
  `#${"t".repeat(60)}`,
  "@name",
  "$CASH",
  "https://example.com/a?b=c",
  "http://例え.jp",
  "example.com",
  "a.b.c.example.co.uk",
  "no.such",
  "mail@example.com",
  "(brackets)",
  "…",
  "“quoted”",
  "a\u00a0b",
  "1,234.5",
  "-",
];

interface Piece {
  text: string;
  isEmoji: boolean;
}

type Counter = (text: string, pieces: readonly Piece[]) => number;

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const encoder = new TextEncoder();

const utf16: Counter = (text) => text.length;
const bytes: Counter = (text) => encoder.encode(text).length;
const weighted: Counter = (text) => parseTweet(text).weightedLength;
const codePoints: Counter = (text) => [...text].length;
const graphemes: Counter = (text) => [...segmenter.segment(text)].length;
/** @see https://developers.facebook.com/docs/threads/posts */
const emojiByBytes: Counter = (text, pieces) =>
  pieces.reduce((sum, one) => sum + (one.isEmoji ? bytes(one.text, []) - one.text.length : 0), 0) +
  text.length;

interface Rule {
  platform: Platform;
  field: "title" | "description";
  /** Source: spec, "Content limits by platform". */
  limits: [counter: Counter, max: number][];
  /** Matches pieces that the platform gets escaped. */
  avoids?: RegExp;
  /** Share of the cases; long texts take long. */
  share: number;
}

const RULES: Rule[] = [
  {
    platform: "x",
    field: "title",
    limits: [[weighted, 280]],
    share: 30,
  },
  {
    platform: "bluesky",
    field: "description",
    limits: [
      [graphemes, 300],
      [bytes, 3_000],
    ],
    share: 30,
  },
  { platform: "threads", field: "title", limits: [[emojiByBytes, 500]], share: 15 },
  { platform: "telegram", field: "description", limits: [[codePoints, 4_096]], share: 2 },
  { platform: "pinterest", field: "description", limits: [[utf16, 500]], share: 10 },
  { platform: "tiktok", field: "title", limits: [[utf16, 2_200]], share: 5 },
  { platform: "instagram", field: "title", limits: [[utf16, 2_200]], share: 5 },
  {
    platform: "linkedin",
    field: "description",
    limits: [[utf16, 3_000]],
    avoids: /[\\|{}@[\]()<>#*_~]/,
    share: 3,
  },
  {
    platform: "youtube",
    field: "description",
    limits: [
      [utf16, 5_000],
      [bytes, 5_000],
    ],
    share: 2,
  },
];

const ALL_SHARES = RULES.reduce((sum, { share }) => sum + share, 0);

const piecesOf = new Map<Rule, { rich: Counted[]; plain: Counted[] }>();

type Counted = Piece & { count: number };

function choicesOf(rule: Rule) {
  const cached = piecesOf.get(rule);
  if (cached) return cached;
  const [[counter] = [utf16]] = rule.limits;
  const toPieces = (texts: readonly string[], isEmoji: boolean): Counted[] =>
    texts
      .filter((text) => !rule.avoids?.test(text))
      .map((text) => ({ text, isEmoji, count: counter(text, [{ text, isEmoji }]) }));
  const emoji = toPieces(EMOJI, true);
  const made = {
    rich: [...emoji, ...toPieces(OTHERS, false)],
    plain: [...emoji.slice(0, 1), ...toPieces(OTHERS.slice(0, 4), false)],
  };
  piecesOf.set(rule, made);
  return made;
}

/** A text at a limit of one counter, or one beside it. */
function textNear(
  rule: Rule,
  random: (below: number) => number,
): { text: string; pieces: Piece[] } {
  const [counter, max] = rule.limits[random(rule.limits.length)] ?? [utf16, 0];
  const target = max - 1 + random(3);
  const from = random(2) === 0 ? choicesOf(rule).rich : choicesOf(rule).plain;
  const pieces: Counted[] = [];
  for (let estimate = 0; estimate < target; ) {
    const piece = from[random(from.length)];
    if (!piece) break;
    pieces.push(piece);
    estimate += piece.count + 1;
  }
  const joined = () => pieces.map(({ text }) => text).join(" ");
  let missing = target - counter(joined(), pieces);
  while (missing < 0 && pieces.length > 1) {
    pieces.pop();
    missing = target - counter(joined(), pieces);
  }
  return { text: missing > 1 ? `${joined()} ${"a".repeat(missing - 1)}` : joined(), pieces };
}

/** Null when the length is not refused. */
async function refusedCount({ platform, field }: Rule, text: string): Promise<number | null> {
  const connector = connectorOf(platform);
  const media = ["tiktok", "instagram", "youtube"].includes(platform) ? [video()] : [];
  const other = platform === "youtube" ? { title: "A title" } : {};
  const texts = { title: null, description: null, ...other, [field]: text };
  const post = { ...texts, media, settings: connector.settings.read({}).values };
  const errors = await connector.check(post, { now: new Date(0) });
  const refusal = errors.find(({ message }) =>
    /^Shorten (?!.* (?:hashtags|mentions))/.test(message),
  );
  const count = /(?:it has|they have) ([\d,]+)/.exec(refusal?.message ?? "")?.[1];
  return count === undefined ? null : Number(count.replaceAll(",", ""));
}

const CASES = loadOf(2_000, 100_000);

test.each(RULES.map((rule) => [rule.platform, rule] as const))(
  "%s: texts around the limit are refused as the platform's own counter has it, and by its number",
  { timeout: 900_000 },
  async (platform, rule) => {
    const random = randomFrom(20_261_201);
    const atLimit = { below: 0, at: 0, above: 0 };
    for (let done = 0; done < (CASES * rule.share) / ALL_SHARES; done++) {
      const { text, pieces } = textNear(rule, random);
      const counts = rule.limits.map(([counter, max]) => ({ count: counter(text, pieces), max }));
      const over = counts.filter(({ count, max }) => count > max).map(({ count }) => count);
      const refused = await refusedCount(rule, text);
      if ((refused !== null) !== over.length > 0 || (refused !== null && !over.includes(refused))) {
        throw new Error(
          `${platform} case ${done}: refused ${refused}, counted ${JSON.stringify(counts)}: ${JSON.stringify(text)}`,
        );
      }
      if (counts.some(({ count, max }) => count === max + 1)) atLimit.above++;
      if (counts.some(({ count, max }) => count === max)) atLimit.at++;
      if (counts.some(({ count, max }) => count === max - 1)) atLimit.below++;
    }
    expect(Math.min(...Object.values(atLimit))).toBeGreaterThan(2);
  },
);
