import { expect, test } from "vitest";
import { emptyIfBlank, nullIfBlank } from "../../src/core/text.ts";

test.each([[null], [""], [" \n\t"], ["\u200b\u200d \ufeff\u2060\ufe0f\u00ad"]])(
  "%j is no text",
  (text) => {
    expect(nullIfBlank(text)).toBeNull();
    expect(emptyIfBlank(text)).toBe("");
  },
);

test("a text is kept as it is", () => {
  expect(nullIfBlank(" a ")).toBe(" a ");
  expect(emptyIfBlank(" a ")).toBe(" a ");
});
