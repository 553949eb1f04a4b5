import { expect, test } from "vitest";
import { settings } from "../../../src/platforms/youtube/settings.ts";

const DEFAULTS = {
  youtube_title: null,
  youtube_description: null,
  tags: [],
  categoryId: "22",
  privacyStatus: "public",
  scheduledDate: null,
  embeddable: true,
  license: "youtube",
  publicStatsViewable: true,
  selfDeclaredMadeForKids: null,
  madeForKids: false,
  containsSyntheticMedia: false,
  hasPaidProductPlacement: false,
  defaultLanguage: null,
  defaultAudioLanguage: null,
  allowedCountries: [],
  blockedCountries: [],
  recordingDate: null,
  notifySubscribers: true,
};

test("fields that are not sent, or sent empty, are unset", () => {
  expect(settings.read({}).values).toEqual(DEFAULTS);
  const empty = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, ""]));
  expect(settings.read(empty).values).toEqual(DEFAULTS);
});

test("every field is described without the platform's name", () => {
  const infos = settings.infos;
  expect(Object.keys(infos)).toEqual(Object.keys(DEFAULTS));
  for (const { description } of Object.values(infos)) {
    expect(description).toMatch(/\.$/);
    expect(description).not.toMatch(/YouTube/);
  }
});

test.each<[string, string | string[], unknown]>([
  ["tags", "one, two words,,one", ["one", "two words"]],
  ["tags", ["one", "two,three"], ["one", "two", "three"]],
  ["tags", '["a,b","c"]', ["a,b", "c"]],
  ["categoryId", "10", "10"],
  ["privacyStatus", "UNLISTED", "unlisted"],
  ["license", "creativecommon", "creativeCommon"],
  ["scheduledDate", "2026-12-24T18:00:00+01:00", "2026-12-24T17:00:00.000Z"],
  ["recordingDate", "2026-11-01", "2026-11-01T00:00:00.000Z"],
  ["recordingDate", "2026-11-01T10:00:00Z", "2026-11-01T10:00:00.000Z"],
  ["defaultLanguage", "pt-br", "pt-BR"],
  ["defaultAudioLanguage", "zh-hant", "zh-Hant"],
  ["allowedCountries", "DE, AT", ["DE", "AT"]],
  ["selfDeclaredMadeForKids", "0", false],
  ["notifySubscribers", "false", false],
])("reads %s=%j", (name, value, read) => {
  expect(settings.read({ [name]: value }).values).toMatchObject({ [name]: read });
});

test.each([
  ["categoryId", "Music", "number of a category"],
  ["privacyStatus", "friends", "public, private, unlisted"],
  ["license", "mit", "youtube, creativeCommon"],
  ["scheduledDate", "2026-12-24T18:00:00", "offset"],
  ["scheduledDate", "2026-12-24", "offset"],
  ["recordingDate", "2026-02-31", "ISO 8601"],
  ["defaultLanguage", "english language", "BCP-47"],
  ["defaultAudioLanguage", "_", "BCP-47"],
  ["allowedCountries", "DE,at", '"at"'],
  ["blockedCountries", "DEU", "alpha-2"],
  ["embeddable", "yes", "true or false"],
])("refuses %s=%s and says what is allowed", (name, value, allowed) => {
  const parsed = settings.read({ [name]: value });
  expect(parsed.errors).toMatchObject([{ field: name, message: expect.stringContaining(allowed) }]);
});
