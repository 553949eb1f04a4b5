import { expect, test } from "vitest";
import { toRefused, toUploadRefused } from "../../../src/platforms/linkedin/failures.ts";

const refusal = (status: number, code: string | null, message = "In its words") => ({
  status,
  code,
  message,
  retryAfterSeconds: null,
});
const refused = (code: string, transient = false) => ({
  kind: "failed",
  failure: { code },
  transient,
});
const TOKEN = { kind: "token_expired" };

test.each<[number, string | null, object]>([
  [401, "EMPTY_ACCESS_TOKEN", TOKEN],
  [401, "INVALID_ACCESS_TOKEN", TOKEN],
  [401, "EXPIRED_ACCESS_TOKEN", TOKEN],
  [401, "REVOKED_ACCESS_TOKEN", TOKEN],
  [401, null, TOKEN],
  [400, "EXPIRED_UPLOAD_URL", { ...refused("platform_unavailable", true), restart: true }],
  [403, "ACCESS_DENIED", refused("account_disconnected")],
  [403, null, refused("account_disconnected")],
  [400, "MEDIA_ASSET_WAITING_UPLOAD", refused("platform_processing_timeout", true)],
  [400, "MEDIA_ASSET_PROCESSING_FAILED", refused("media_invalid")],
  [400, "PROCESSING_FAILED", refused("media_invalid")],
  [400, "INVALID_IMAGE_ID", refused("media_invalid")],
  [400, "INVALID_VIDEO_ID", refused("media_invalid")],
  [400, "UPDATING_ASSET_FAILED", refused("media_invalid")],
  [400, "FIELD_LENGTH_TOO_LONG", refused("unknown")],
  [400, "MISSING_FIELD", refused("unknown")],
  [400, "INVALID_VALUE_FOR_FIELD", refused("unknown")],
  [400, "INVALID_VALUE_BLANK_FIELD", refused("unknown")],
  [400, "INVALID_URN_TYPE", refused("unknown")],
  [400, "INVALID_URN_ID", refused("unknown")],
  [400, "INVALID_URL", refused("unknown")],
  [409, "CONFLICT", refused("unknown")],
  [422, "UNPROCESSABLE_ENTITY", refused("unknown")],
  [426, "NONEXISTENT_VERSION", refused("platform_unavailable")],
  [400, "VERSION_MISSING", refused("platform_unavailable")],
  [429, "TOO_MANY_REQUESTS", refused("rate_limited")],
  [429, null, refused("rate_limited")],
  [400, "constructor", refused("unknown")],
  [404, null, refused("unknown")],
  [302, null, refused("platform_unavailable", true)],
  [408, null, refused("platform_unavailable", true)],
  [500, null, refused("platform_unavailable", true)],
  [502, null, refused("platform_unavailable", true)],
  [503, null, refused("platform_unavailable", true)],
  [504, null, refused("platform_unavailable", true)],
])("HTTP %i with %s", (status, code, expected) => {
  expect(toRefused(refusal(status, code))).toMatchObject(expected);
});

test.each([
  [400, null],
  [409, "CONFLICT"],
  [422, "UNPROCESSABLE_ENTITY"],
])("a duplicate is flagged, with HTTP %i as well", (status, code) => {
  const message = "Content is a duplicate of urn:li:share:1";
  expect(toRefused(refusal(status, code, message))).toEqual({
    kind: "failed",
    failure: { code: "content_flagged", message },
    transient: false,
  });
});

test("a file that is still being processed is waited for, whatever the code", () => {
  const message = "The asset is still being processed";
  expect(toRefused(refusal(400, "SOMETHING", message))).toMatchObject({
    failure: { code: "platform_processing_timeout" },
    transient: true,
  });
});

test.each([
  [600, true],
  [601, false],
])("a limit that ends in %i seconds is waited for: %s", (retryAfterSeconds, transient) => {
  expect(toRefused({ ...refusal(429, null), retryAfterSeconds })).toMatchObject({
    failure: { code: "rate_limited", retryAfterSeconds },
    transient,
  });
});

test("an ended version is told to whoever runs the service", () => {
  expect(toRefused(refusal(426, "NONEXISTENT_VERSION"))).toMatchObject({
    failure: { message: expect.stringContaining("update it") },
  });
});

test.each([400, 401, 403, 404, 410])("an upload address refused with %i is worn out", (status) => {
  expect(toUploadRefused(refusal(status, null))).toMatchObject({
    failure: { code: "platform_unavailable" },
    transient: true,
    restart: true,
  });
});

test("an upload address that is down for a moment is tried again", () => {
  expect(toUploadRefused(refusal(503, null))).not.toHaveProperty("restart");
});
