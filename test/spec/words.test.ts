import { expect, test } from "vitest";

const files = import.meta.glob("/{src,test}/**/*.{ts,tsx,mjs}", {
  query: "?raw",
  import: "default",
  eager: true,
});

const DOCSTRING = /\/\*\*([\s\S]*?)\*\//g;
/** Lines that follow each other are one comment. An address such as `https://…` is none. */
const COMMENT = /(?:^|[\s;,{(])\/\/ (.*(?:\n[ \t]*\/\/ .*)*)/gm;
/** Strings that describe a field, an operation or a tool, in one piece or joined by `+`. */
const DESCRIPTION =
  /(?:\.describe\(|\b(?:description|summary):)\s*((?:(?:"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)[\s+]*)+)/g;

/** Openings that turn a sentence around: the thing itself, or a verb, comes first instead. */
const INVERTED = /(?:^|[.!?] )((?:What|Whether|Of|Those|Whoever)\b.*)/g;

const textsOf = (source: string): string[] => [
  ...[...source.matchAll(DOCSTRING)].map(([, text = ""]) => text.replace(/^[ \t]*\*/gm, "")),
  ...[...source.matchAll(COMMENT)].map(([, text = ""]) => text.replace(/^[ \t]*\/\/ /gm, "")),
  ...[...source.matchAll(DESCRIPTION)].map(([, text = ""]) =>
    text.replace(/["`]\s*\+\s*["`]/g, ""),
  ),
];

/** Returns what is left of each text from a sentence on that is turned around. */
const invertedIn = (source: string): string[] =>
  textsOf(source)
    .map((text) => text.replace(/\s+/g, " ").replace(/^[ "`]+/, ""))
    .flatMap((text) => [...text.matchAll(INVERTED)].map(([, sentence = ""]) => sentence));

test.each([
  ["/** Whether it is on. */", "Whether it is on. "],
  ["/**\n * Reads a page. Of the others\n * nothing.\n */", "Of the others nothing. "],
  ["const a = 1; // What follows.", "What follows."],
  ["// Stays. Those\n  // wait.", "Those wait."],
  ['z.string().describe("Of geo.")', 'Of geo."'],
  ['description:\n "A page. " +\n "What is left out stays.",', 'What is left out stays."'],
  ["summary: `Whoever may`", "Whoever may`"],
])("%j opens a sentence the wrong way round", (source, found) => {
  expect(invertedIn(source)).toEqual([found]);
});

test.each([
  "/** Returns true when it is on, and whether it stays. */",
  '// See https://example.com/?q=. Offers "of those".',
  'const question = "What now?";',
  'description: "The kind of the file."',
])("%j is in order", (source) => {
  expect(invertedIn(source)).toEqual([]);
});

test("sentences of comments and descriptions open with a verb or with the thing itself", () => {
  expect(Object.keys(files).length).toBeGreaterThan(600);
  const found = Object.entries(files)
    .filter(([path]) => path !== "/test/spec/words.test.ts")
    .flatMap(([path, source]) => invertedIn(String(source)).map((text) => `${path}: ${text}`));
  expect(found).toEqual([]);
});
