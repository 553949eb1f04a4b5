import { expect, test } from "vitest";

const files = import.meta.glob("/{src,test}/**/*.{ts,tsx,mjs}", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Openings that turn a sentence around: the thing itself, or a verb, comes first instead. */
const INVERTED = /\/\*\*[\s*]*(?:What|Whether|Of|Those|Whoever)\b.*/g;

test("a docstring opens with a verb or with the thing itself", () => {
  expect(Object.keys(files).length).toBeGreaterThan(600);
  const found = Object.entries(files).flatMap(([path, text]) =>
    [...text.matchAll(INVERTED)].map(([opening]) => `${path}: ${opening}`),
  );
  expect(found).toEqual([]);
});
