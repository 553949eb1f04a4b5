import { comparable } from "../kit/listings.ts";

const REFERENCES: Record<string, string> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&apos;": "'",
  "&amp;": "&",
};

/** The text of a post, which servers answer as HTML. */
export const shownText = (html: string): string =>
  html
    .replace(/<br ?\/?>|<\/p>/gi, "\n")
    .replace(/<[^<>]*>/g, "")
    .replace(/&(?:lt|gt|quot|apos|#39|amp);/g, (reference) => REFERENCES[reference] ?? reference);

const withoutServers = (text: string): string =>
  text.replace(/(@[\w.-]+)@[\p{L}\p{N}.-]+/giu, "$1");

/** Servers drop their own name from handles, and change spaces. */
export const isSameText = (one: string, other: string): boolean =>
  comparable(withoutServers(one)) === comparable(withoutServers(other));

/** Servers show handles without their server, and some read Markdown: letters and digits are compared. */
export const bareLetters = (text: string): string =>
  withoutServers(text).replace(/[^\p{L}\p{N}]+/gu, "");

const LINKS = /<a\b(?:(?!<a\b|<\/a>).)*<\/a>/gis;
const UNREAD_REFERENCE = /&#?\w+;/;

/**
 * False for a post that cannot be of this text: a server takes marks of Markdown off, and shortens addresses. It adds
 * nothing, so that what is shown is in the text, in order.
 */
export function mayShow(html: string, text: string): boolean {
  const shown = shownText(html.replace(LINKS, ""));
  if (UNREAD_REFERENCE.test(shown)) return true;
  const letters = [...bareLetters(shown.normalize("NFC"))];
  const written = bareLetters(text.normalize("NFC"));
  let at = 0;
  return letters.every((letter) => {
    at = written.indexOf(letter, at) + letter.length;
    return at >= letter.length;
  });
}
