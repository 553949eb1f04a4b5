import { expect, test } from "vitest";
import { settings } from "../../../src/platforms/linkedin/settings.ts";

test("fields that are not sent, or sent empty, are unset", () => {
  const unset = { visibility: "PUBLIC", media_type: null };
  expect(settings.read({}).values).toEqual(unset);
  expect(settings.read({ visibility: "", media_type: " " }).values).toEqual(unset);
});

test.each([
  ["visibility", "connections", "CONNECTIONS"],
  ["visibility", "PUBLIC", "PUBLIC"],
  ["media_type", "document", "DOCUMENT"],
])("reads %s=%s", (name, text, value) => {
  expect(settings.read({ [name]: text }).values).toMatchObject({ [name]: value });
});

test.each([
  ["visibility", "LOGGED_IN", "PUBLIC, CONNECTIONS"],
  ["media_type", "REELS", "DOCUMENT"],
])("refuses %s=%s and says what is allowed", (name, value, allowed) => {
  expect(settings.read({ [name]: value }).errors).toMatchObject([
    { field: name, message: expect.stringContaining(allowed) },
  ]);
});
