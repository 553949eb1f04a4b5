import { MENTION_PATTERN, splitAtMentions, writeMention } from "../../core/mentions.ts";

interface Piece {
  text: string;
  isBold: boolean;
  isItalic: boolean;
}

/** Asterisks that begin or end a style. `length`: 1 italic, 2 bold, 3 both. */
interface Mark {
  at: number;
  length: number;
  isOpening: boolean;
}

const LONGEST_MARK = 3;
const RUN_OR_LINE_END = new RegExp(String.raw`${MENTION_PATTERN}|\*+|\n`, "g");
const ENDS_IN_WORD = /[\p{L}\p{N}]$/u;
const BEGINS_WITH_WORD = /^[\p{L}\p{N}]/u;

/** One asterisk inside a word, as in 2*3*4, is text. Two or three may be a mark. */
function sidesOf(text: string, at: number, length: number) {
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(at + length, at + length + 2);
  const isLone = length === 1;
  return {
    canOpen: /^\S/.test(after) && !(isLone && ENDS_IN_WORD.test(before)),
    canClose: /\S$/.test(before) && !(isLone && BEGINS_WITH_WORD.test(after)),
  };
}

/** Only pairs on the same line are marks. */
function findMarks(text: string): Mark[] {
  const marks: Mark[] = [];
  const open: number[][] = [[], [], [], []];
  for (const match of text.matchAll(RUN_OR_LINE_END)) {
    const [run] = match;
    if (run === "\n") {
      for (const positions of open) positions.length = 0;
      continue;
    }
    const { length } = run;
    const positions = open[length];
    if (length > LONGEST_MARK || !positions) continue;
    const { canOpen, canClose } = sidesOf(text, match.index, length);
    const opened = canClose ? positions.pop() : undefined;
    if (opened !== undefined) {
      for (const others of open) while ((others.at(-1) ?? -1) > opened) others.pop();
      marks.push({ at: opened, length, isOpening: true });
      marks.push({ at: match.index, length, isOpening: false });
    } else if (canOpen) positions.push(match.index);
  }
  return marks.sort((a, b) => a.at - b.at);
}

function readMarks(text: string): Piece[] {
  const pieces: Piece[] = [];
  let bold = 0;
  let italic = 0;
  let from = 0;
  const cut = (to: number) => {
    if (to > from) {
      pieces.push({ text: text.slice(from, to), isBold: bold > 0, isItalic: italic > 0 });
    }
  };
  for (const { at, length, isOpening } of findMarks(text)) {
    cut(at);
    const change = isOpening ? 1 : -1;
    if (length >= 2) bold += change;
    if (length !== 2) italic += change;
    from = at + length;
  }
  cut(text.length);
  return pieces;
}

export const withoutMarks = (text: string): string =>
  readMarks(text)
    .map((piece) => piece.text)
    .join("");

/** Sans-serif letters; italic digits do not exist. Source: Unicode, U+1D400. */
const ALPHABETS = {
  bold: { capital: 0x1d5d4, small: 0x1d5ee, digit: 0x1d7ec },
  italic: { capital: 0x1d608, small: 0x1d622, digit: null },
  both: { capital: 0x1d63c, small: 0x1d656, digit: 0x1d7ec },
};

const PLAIN_CHARACTER = /[A-Za-z0-9](?!\p{M})/gu;
/** Links and hashtags work only in plain letters. */
const KEPT = /((?:https?:\/\/|www\.)\S+|#[\p{L}\p{N}_]+)/iu;

function restyle(character: string, alphabet: Alphabet): string {
  const { capital, small, digit } = alphabet;
  const code = character.charCodeAt(0);
  if (code >= 97) return String.fromCodePoint(small + code - 97);
  if (code >= 65) return String.fromCodePoint(capital + code - 65);
  return digit === null ? character : String.fromCodePoint(digit + code - 48);
}

type Alphabet = (typeof ALPHABETS)[keyof typeof ALPHABETS];

function toLetters({ text, isBold, isItalic }: Piece): string {
  if (!isBold && !isItalic) return text;
  const alphabet = ALPHABETS[isBold && isItalic ? "both" : isBold ? "bold" : "italic"];
  return splitAtMentions(text)
    .map((part) => (typeof part === "string" ? restyleText(part, alphabet) : writeMention(part)))
    .join("");
}

const restyleText = (text: string, alphabet: Alphabet): string =>
  text
    .split(KEPT)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(PLAIN_CHARACTER, (character) => restyle(character, alphabet)),
    )
    .join("");

/** Uses Unicode letters, because LinkedIn has no styles. */
export const styleText = (text: string): string => readMarks(text).map(toLetters).join("");
