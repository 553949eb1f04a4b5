import { expect, test } from "vitest";
import { settings } from "../../../src/platforms/linkedin/settings.ts";

test("fields that are not sent, or sent empty, are unset", () => {
  const unset = { visibility: "PUBLIC", media_type: null };
  expect(settings.parse({})).toEqual(unset);
  expect(settings.parse({ visibility: "", media_type: " " })).toEqual(unset);
});

test.each([
  ["visibility", "connections", "CONNECTIONS"],
  ["visibility", "PUBLIC", "PUBLIC"],
  ["media_type", "document", "DOCUMENT"],
])("reads %s=%s", (name, text, value) => {
  expect(settings.parse({ [name]: text })).toMatchObject({ [name]: value });
});

test.each([
  ["visibility", "LOGGED_IN", "PUBLIC, CONNECTIONS"],
  ["media_type", "REELS", "DOCUMENT"],
])("refuses %s=%s and says what is allowed", (name, value, allowed) => {
  expect(settings.safeParse({ [name]: value }).error?.issues).toMatchObject([
    { path: [name], message: expect.stringContaining(allowed) },
  ]);
});
