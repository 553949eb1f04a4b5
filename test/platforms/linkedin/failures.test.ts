import { expect, test } from "vitest";
import { readDoneReply } from "../../../src/platforms/linkedin/api.ts";
import { toRefused, toUploadRefused } from "../../../src/platforms/linkedin/failures.ts";
import { error } from "./scripted.ts";

async function refusalOf(reply: Response) {
  const read = await readDoneReply(reply);
  if (read.ok) throw new Error("That was no refusal.");
  return read.error;
}

const refusal = (status: number, code: string | null, message = "In its words") =>
  refusalOf(code === null ? new Response(null, { status }) : error(status, code, message));
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
])("HTTP %i with %s", async (status, code, expected) => {
  const outcome = await refusal(status, code);
  expect(outcome).toMatchObject({ status, code });
  expect(toRefused(outcome)).toMatchObject(expected);
});

test.each([
  [400, null],
  [409, "CONFLICT"],
  [422, "UNPROCESSABLE_ENTITY"],
])("a duplicate is flagged, with HTTP %i as well", async (status, code) => {
  const message = "Content is a duplicate of urn:li:share:1";
  expect(toRefused(await refusalOf(error(status, code, message)))).toEqual({
    kind: "failed",
    failure: { code: "content_flagged", message },
    transient: false,
  });
});

test("a file that is still being processed is waited for, whatever the code", async () => {
  const message = "The asset is still being processed";
  expect(toRefused(await refusal(400, "SOMETHING", message))).toMatchObject({
    failure: { code: "platform_processing_timeout" },
    transient: true,
  });
});

test.each([
  [600, true],
  [601, false],
])("a limit that ends in %i seconds is waited for: %s", async (retryAfterSeconds, transient) => {
  const headers = { "retry-after": String(retryAfterSeconds) };
  const outcome = await refusalOf(new Response(null, { status: 429, headers }));
  expect(toRefused(outcome)).toMatchObject({
    failure: { code: "rate_limited", retryAfterSeconds },
    transient,
  });
});

test("an ended version is told to whoever runs the service", async () => {
  expect(toRefused(await refusal(426, "NONEXISTENT_VERSION"))).toMatchObject({
    failure: { message: expect.stringContaining("Update Akimbo") },
  });
});

test.each([400, 401, 403, 404, 410])(
  "an upload address refused with %i is worn out",
  async (status) => {
    expect(toUploadRefused(await refusal(status, null))).toMatchObject({
      failure: { code: "platform_unavailable" },
      transient: true,
      restart: true,
    });
  },
);

test("an upload address that is down for a moment is tried again", async () => {
  expect(toUploadRefused(await refusal(503, null))).not.toHaveProperty("restart");
});
