import { Marked, type Tokens } from "marked";

/** A `sh` block of a guide, with the `json` block right behind it. */
export interface Example {
  /** The heading that it stands under. */
  heading: string;
  script: string;
  /** The documented answer; null where none is shown. */
  answer: string | null;
}

/** Reads the blocks of a guide that are run, in the order of the page. */
export function readExamples(guide: string): Example[] {
  const examples: Example[] = [];
  let heading = "";
  let last: Example | null = null;
  for (const token of new Marked().lexer(guide)) {
    if (token.type === "space") continue;
    if (token.type === "heading") heading = (token as Tokens.Heading).text;
    const code = token.type === "code" ? (token as Tokens.Code) : null;
    if (last && code?.lang === "json") last.answer = code.text;
    last = code?.lang === "sh" ? { heading, script: code.text, answer: null } : null;
    if (last) examples.push(last);
  }
  return examples;
}

/** Returns the blocks of a language. */
export const blocksOf = (guide: string, language: string): string[] =>
  new Marked()
    .lexer(guide)
    .flatMap((token) => (token.type === "code" && token.lang === language ? [token.text] : []));
