import assert from "node:assert/strict";
import { test } from "node:test";
import { build, type Plugin } from "esbuild";
import { LEAN_PARTS } from "../../src/cli/island-parts.ts";
import { inProject } from "../../src/cli/paths.ts";

type Count = (text: string) => number;

async function bundled(contents: string, plugins: Plugin[]): Promise<Count> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: inProject("."), loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    plugins,
    logLevel: "error",
  });
  const code = outputFiles[0]?.text ?? "";
  const module = await import(
    `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`
  );
  return module.count;
}

const LEAN = `export { weightedLength as count } from "./src/platforms/x/weighted-length.ts";`;
const WHOLE = `
  import parseTweet from "twitter-text/dist/esm/parseTweet.js";
  import { toParts } from "./src/platforms/x/weighted-length.ts";
  export const count = (text) =>
    [...toParts(text)].reduce((sum, part) => sum + parseTweet(part).weightedLength, 0);`;

const PIECES = [
  ...["word", " ", "\n", ".", "..", "-", "_", "@", "#", "$", "(", ")", "/", ":", "?q=1", "é", "字"],
  ...["https://", "http://", "ftp://", "example", "sub.", ".com", ".co.uk", ".shop", ".onion"],
  ...[
    "www.",
    ".嘉里",
    ".嘉里大酒店",
    ".中国",
    ".рф",
    ".vermögensberater",
    ".xn--p1ai",
    "xn--e1afmkfd",
  ],
  ...["münchen", "例え", "ß", "İ", "a\u0301", "\u3002", "\u200d", "\u202a", "\ufe0f", "\ufeff"],
  ...["👍", "👍🏽", "👨‍👩‍👧‍👦", "🇩🇪", "1️⃣", "#️⃣", "❤️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🫠", "\ud83d", "\udc4d", "𝒶", "𠮷"],
  ...["t.co/abc", "https://t.co/a1b2?x=1", "/a(b(c)d)e", "/@me/", "me@example.com", "•", "…", "€"],
  ...["a".repeat(63), "ü".repeat(60), "x".repeat(64), `${"a".repeat(62)}é`],
];

/** The same texts at each run. */
function* texts(count: number): Generator<string> {
  let state = 20;
  const next = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % below;
  };
  for (let i = 0; i < count; i++) {
    yield Array.from({ length: 1 + next(12) }, () => PIECES[next(PIECES.length)]).join("");
  }
}

test("the page counts a text for X as twitter-text does", async () => {
  const [lean, whole] = await Promise.all([bundled(LEAN, LEAN_PARTS), bundled(WHOLE, [])]);
  for (const text of texts(30_000)) assert.equal(lean(text), whole(text), JSON.stringify(text));
});

test("each of twitter-text's top-level domains makes a link", async () => {
  const [lean, words] = await Promise.all([
    bundled(LEAN, LEAN_PARTS),
    bundled(
      `import cc from "twitter-text/dist/esm/regexp/validCCTLD.js";
       import generic from "twitter-text/dist/esm/regexp/validGTLD.js";
       export const count = () => [cc, generic].map(({ source }) => source);`,
      [],
    ),
  ]);
  const sources = words("") as unknown as string[];
  const domains = sources.flatMap((source) => source.match(/[^()|?:=[\]^+@$-]{2,}(?=[|)])/g) ?? []);
  assert.ok(domains.length > 1_500, `${domains.length}`);
  for (const domain of domains) {
    assert.equal(lean(`see http://example.${domain} now`), 31, domain);
    assert.equal(lean(`see example.${domain} now`) > 15, true, domain);
  }
});
