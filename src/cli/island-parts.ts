import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import { inProject } from "./paths.ts";

/** twitter-text brings them for browsers that none of our pages supports. */
const withoutPolyfills: Plugin = {
  name: "without-polyfills",
  setup: (bundle) => bundle.onLoad({ filter: /core-js[\\/]/ }, () => ({ contents: "" })),
};

/** Each word as the number of letters that it shares with the one before, and the rest of it. */
function packed(words: readonly string[]): string {
  return words
    .map((word, i) => {
      const before = words[i - 1] ?? "";
      let shared = 0;
      while (shared < 9 && shared < word.length && word[shared] === before[shared]) shared++;
      return shared + word.slice(shared);
    })
    .join("");
}

/** twitter-text's lists of top-level domains: the same words in the same order. */
const packedDomains: Plugin = {
  name: "packed-domains",
  setup: (bundle) =>
    bundle.onLoad({ filter: /twitter-text.*valid(?:CC|G)TLD\.js$/ }, async ({ path }) => {
      const [, code = ""] = (await readFile(path, "utf8")).split("(RegExp(");
      const source = [...code.matchAll(/'([^']*)'/g)].map(([, text]) => text).join("");
      const [, words, end] = /^\(\?:\(\?:([^()\d]+)\)(\(\?=.*)\)$/.exec(source) ?? [];
      if (!words || !end) throw new Error(`${path} has another form than expected.`);
      const text = JSON.stringify(packed(words.split("|")));
      return {
        contents: `let word = "";
          const words = ${text}.replace(/\\d\\D*/g, (part) => "|" + (word = word.slice(0, part[0]) + part.slice(1)));
          export default RegExp("(?:(?:" + words.slice(1) + ")${end})");`,
      };
    }),
};

const smallPunycode: Plugin = {
  name: "small-punycode",
  setup: (bundle) =>
    bundle.onResolve({ filter: /^punycode$/ }, () => ({
      path: inProject("src/pages/islands/compose/punycode.ts"),
    })),
};

/** Without the addresses of pictures. */
const bareEmoji: Plugin = {
  name: "bare-emoji",
  setup: (bundle) =>
    bundle.onLoad({ filter: /twemoji-parser[\\/]dist[\\/]index\.js$/ }, () => ({
      contents: `import emoji from "./lib/regex.js";
        export const parse = (text) => [...text.matchAll(emoji)].map(({ 0: text, index }) => ({ text, indices: [index] }));`,
    })),
};

/** Leave out what pages do not need of packages. */
export const LEAN_PARTS = [withoutPolyfills, packedDomains, smallPunycode, bareEmoji];
