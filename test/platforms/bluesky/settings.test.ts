import { expect, test } from "vitest";
import { settings } from "../../../src/platforms/bluesky/settings.ts";
import type { RawField } from "../../../src/platforms/kit/form-fields.ts";

const issues = (fields: Record<string, RawField>) =>
  settings
    .read(fields)
    .errors.map(({ field, message }) => ({ field, message: message.replace(`${field}: `, "") }));

test("has no languages, labels or alt texts unless they are sent", () => {
  expect(settings.read({}).values).toEqual({
    bluesky_langs: [],
    bluesky_labels: [],
    bluesky_alt_text: "",
  });
});

test("ignores the fields of other networks", () => {
  expect(settings.read({ privacy_level: "SELF_ONLY" }).values).not.toHaveProperty("privacy_level");
});

test.each([
  ["one", "en", ["en"]],
  ["comma-separated", "en, fr ,de", ["en", "fr", "de"]],
  ["repeated", ["en", "fr"], ["en", "fr"]],
  ["repeated and comma-separated", ["en,fr", "de"], ["en", "fr", "de"]],
  ["a JSON array", '["en","fr"]', ["en", "fr"]],
  ["in an unusual spelling", "EN-us,zh-hant-tw", ["en-US", "zh-Hant-TW"]],
  ["sent twice", "en,EN,en", ["en"]],
  ["with empty entries", "en,,", ["en"]],
  ["blank", " ", []],
])("reads languages that are %s", (_, sent, expected) => {
  expect(settings.read({ bluesky_langs: sent }).values.bluesky_langs).toEqual(expected);
});

test.each([
  ["en,fr,de,es", "Bluesky takes up to 3 languages; 4 were sent."],
  ["en_US", '"en_US" is not a language tag; write it like en or pt-BR.'],
  ["e", '"e" is not a language tag; write it like en or pt-BR.'],
  ["[1]", '"[1]" is not a language tag; write it like en or pt-BR.'],
])("refuses the languages %j", (sent, message) => {
  expect(issues({ bluesky_langs: sent })).toEqual([{ field: "bluesky_langs", message }]);
});

test.each([
  ["sexual", ["sexual"]],
  ["nudity,porn", ["nudity", "porn"]],
  [
    ["graphic-media", "!no-unauthenticated"],
    ["graphic-media", "!no-unauthenticated"],
  ],
  ['["porn"]', ["porn"]],
])("reads the labels %j", (sent, expected) => {
  expect(settings.read({ bluesky_labels: sent }).values.bluesky_labels).toEqual(expected);
});

test("names every label that does not exist", () => {
  expect(issues({ bluesky_labels: "bot,sexual,spam" })).toEqual([
    {
      field: "bluesky_labels",
      message:
        '"bot" is not a Bluesky label; use sexual, nudity, porn, graphic-media, !no-unauthenticated.',
    },
    {
      field: "bluesky_labels",
      message:
        '"spam" is not a Bluesky label; use sexual, nudity, porn, graphic-media, !no-unauthenticated.',
    },
  ]);
});

test.each([
  ["A cat, asleep", "A cat, asleep"],
  ["[Photo] a cat", "[Photo] a cat"],
  [
    ["A cat", "A dog"],
    ["A cat", "A dog"],
  ],
  ['["A cat","A dog"]', ["A cat", "A dog"]],
])("reads the alt text %j", (sent, expected) => {
  expect(settings.read({ bluesky_alt_text: sent }).values.bluesky_alt_text).toEqual(expected);
});
