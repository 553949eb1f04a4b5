import { expect, test } from "vitest";
import { readPostReply } from "../../../src/platforms/google_business/api.ts";
import {
  isTokenRefusal,
  isUndecided,
  toRefused,
} from "../../../src/platforms/google_business/failures.ts";
import { error, info, invalid, noQuota } from "./scripted.ts";

async function refusalOf(reply: Response) {
  const read = await readPostReply(reply);
  if (read.ok) throw new Error("That was no refusal.");
  return read.error;
}

const off = (service: string) =>
  error(403, "The API has not been used in project 1 before or it is disabled.", [
    info("SERVICE_DISABLED", { service }),
  ]);

const page = () => new Response("<!DOCTYPE html><title>Error 404</title>", { status: 404 });

test.each<[string, () => Response, string, RegExp]>([
  [
    "a text that is too long",
    () => invalid(2, "Must be at most 1500 characters", "summary"),
    "content_flagged",
    /^summary: Must be at most 1500 characters$/,
  ],
  [
    "a topic that is missing",
    () => invalid(2, "Topic type is required for post creation.", "topic_type"),
    "content_flagged",
    /^topic_type: Topic/,
  ],
  [
    "a photo that cannot be downloaded",
    () => invalid(1_000, "Fetching image failed."),
    "media_unreachable",
    /^Fetching image failed\.$/,
  ],
  [
    "a photo that cannot be used",
    () => invalid(1_001, "Uploading image failed."),
    "media_invalid",
    /^Uploading/,
  ],
  ["the name of a photo's code", () => error(400, "PHOTO_UPLOAD_FAILED"), "media_invalid", /PHOTO/],
  [
    "a restricted account",
    () => invalid(1_301, "Not supported."),
    "unknown",
    /restricts this profile.*business\.google\.com/,
  ],
  [
    "a location that may not post",
    () => error(400, "LOCATION_DISABLED_FOR_LOCAL_POST_API"),
    "unknown",
    /restricts this profile/,
  ],
  [
    "an argument without details",
    () => error(400, "Request contains an invalid argument."),
    "unknown",
    /^Request contains/,
  ],
  [
    "a person who manages the location no more",
    () => error(403, "The caller does not have permission"),
    "account_disconnected",
    /^The caller/,
  ],
  [
    "a scope that was left out",
    () => error(403, "Insufficient scopes.", [info("ACCESS_TOKEN_SCOPE_INSUFFICIENT")]),
    "account_disconnected",
    /leave the box ticked/,
  ],
  [
    "a location that is gone",
    () => error(404, "Requested entity was not found."),
    "account_disconnected",
    /^Requested/,
  ],
  ["a path that does not exist", page, "unknown", /^Google Business answered HTTP 404\.$/],
  [
    "the API of posts, which is off",
    () => off("mybusiness.googleapis.com"),
    "unknown",
    /enables the Google My Business API.*\/app\/setup\/google_business.*need not be connected again/,
  ],
  [
    "another API that is off",
    () => off("mybusinessaccountmanagement.googleapis.com"),
    "unknown",
    /My Business Account Management API/,
  ],
  [
    "a project that is not approved",
    noQuota,
    "unknown",
    /quota is 0.*“Apply for access”.*\/app\/setup\/google_business/,
  ],
])("%s is told for what it is, and not repeated", async (_, reply, code, message) => {
  const refusal = await refusalOf(reply());
  expect(isUndecided(refusal)).toBe(false);
  expect(toRefused(refusal)).toMatchObject({
    kind: "failed",
    failure: { code, message: expect.stringMatching(message) },
    transient: false,
  });
});

test.each<[string, () => Response, number, boolean]>([
  [
    "too many calls in a minute",
    () => error(429, "Quota exceeded", [info("RATE_LIMIT_EXCEEDED", { quota_limit_value: "300" })]),
    60,
    true,
  ],
  [
    "a wait that Google names",
    () => error(429, "Quota exceeded", [], { "retry-after": "120" }),
    120,
    true,
  ],
  ["a long wait", () => error(429, "Quota exceeded", [], { "retry-after": "3600" }), 3_600, false],
])("%s", async (_, reply, retryAfterSeconds, transient) => {
  expect(toRefused(await refusalOf(reply()))).toMatchObject({
    failure: { code: "rate_limited", retryAfterSeconds },
    transient,
  });
});

test.each([
  [500, true],
  [503, true],
  [504, true],
  [409, false],
])("%i is an outage; undecided: %s", async (status, undecided) => {
  const refusal = await refusalOf(error(status, "Internal error encountered."));
  expect(isUndecided(refusal)).toBe(undecided);
  expect(toRefused(refusal)).toMatchObject({
    failure: { code: "platform_unavailable" },
    transient: true,
  });
});

test("an expired token is renewed, and a wrong client is not taken for one", async () => {
  expect(isTokenRefusal(await refusalOf(error(401, "Invalid credentials")))).toBe(true);
  const client = Response.json({ error: "invalid_client" }, { status: 401 });
  expect(isTokenRefusal(await refusalOf(client))).toBe(false);
});
