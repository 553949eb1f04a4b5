import { expect, test } from "vitest";
import {
  anyText,
  type FieldReader,
  numericId,
  publicUrl,
  type RawField,
  readField,
  usernames,
  wholeNumber,
} from "../../../src/platforms/kit/form-fields.ts";

const NAMES = usernames(/^[a-z]{1,5}$/i, "a name: letters, up to 5");

test.each<[string, FieldReader<unknown>, RawField, unknown]>([
  ["a text", anyText, " My song ", "My song"],
  ["a blank text", anyText, " ", null],
  ["a whole number", wholeNumber(0, 10), "10", 10],
  ["an id", numericId("a place", 20), "01234567890123456789", "01234567890123456789"],
  ["an address", publicUrl(), "https://example.com/\u00e4 b", "https://example.com/%C3%A4%20b"],
  [
    "an address by http",
    publicUrl({ allowHttp: true }),
    "http://example.com",
    "http://example.com/",
  ],
  ["names apart by commas", NAMES, " @ada, bob ,,@,ADA", ["ADA", "bob"]],
  ["repeated names", NAMES, ["ada", "@bob"], ["ada", "bob"]],
  ["names as JSON", NAMES, '["@ada","bob"]', ["ada", "bob"]],
])("%s is read", (_, reader, raw, value) => {
  expect(readField(reader, raw)).toEqual({ value, refusals: [] });
});

test.each<[string, FieldReader<unknown>, string, string]>([
  ["a number", wholeNumber(0, 10), "11", "must be a whole number from 0 to 10."],
  [
    "a time",
    wholeNumber(0, 10, "of milliseconds"),
    "1.5",
    "must be a whole number of milliseconds.",
  ],
  ["an id", numericId("a place", 3), "1234", "must be the numeric id of a place."],
  ["an address", publicUrl(), "http://example.com", "must be an https URL."],
  ["a name", NAMES, "ada,b c", '"b c" is not a name: letters, up to 5.'],
])("%s is refused in words", (_, reader, raw, message) => {
  expect(readField(reader, raw).refusals).toEqual([message]);
});

test("of many refused entries ten are told", () => {
  const digits = Array.from({ length: 12 }, (_, index) => String(index));
  expect(readField(NAMES, digits).refusals).toHaveLength(10);
});
