import { expect, test } from "vitest";
import { emptyIfBlank, nullIfBlank } from "../../src/core/text.ts";

test.each([[null], [""], [" \n\t"]])("%j is no text", (text) => {
  expect(nullIfBlank(text)).toBeNull();
  expect(emptyIfBlank(text)).toBe("");
});

test("a text is kept as it is", () => {
  expect(nullIfBlank(" a ")).toBe(" a ");
  expect(emptyIfBlank(" a ")).toBe(" a ");
});
