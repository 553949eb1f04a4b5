import { expect, test } from "vitest";
import { readOpenSessionReply } from "../../../src/platforms/youtube/api.ts";
import {
  secondsToPacificMidnight,
  toGivenUp,
  toRefused,
} from "../../../src/platforms/youtube/failures.ts";
import { error, NOW } from "./scripted.ts";

/** A redirect's body is not YouTube's, and this 200 has an unreadable one. */
async function refusal(status: number, reason: string | null, retryAfter?: string) {
  const headers: Record<string, string> = retryAfter ? { "retry-after": retryAfter } : {};
  const read = await readOpenSessionReply(error(status, reason, { headers }));
  if (read.ok) throw new Error("That was no refusal.");
  expect(read.error).toMatchObject({ status, reason });
  return toRefused(read.error, NOW);
}

const TO_MIDNIGHT = 23 * 3_600;

test.each([
  [401, "youtubeSignupRequired", "account_disconnected", false, undefined],
  [400, "invalid_grant", "account_disconnected", false, undefined],
  [403, "insufficientPermissions", "account_disconnected", false, undefined],
  [403, "authenticatedUserAccountClosed", "account_disconnected", false, undefined],
  [403, "authenticatedUserAccountSuspended", "account_disconnected", false, undefined],
  [403, "channelClosed", "account_disconnected", false, undefined],
  [403, "channelSuspended", "account_disconnected", false, undefined],
  [403, "quotaExceeded", "rate_limited", false, TO_MIDNIGHT],
  [403, "dailyLimitExceeded", "rate_limited", false, TO_MIDNIGHT],
  [403, "rateLimitExceeded", "rate_limited", true, 120],
  [429, "rateLimitExceeded", "rate_limited", true, 120],
  [403, "userRateLimitExceeded", "rate_limited", true, 120],
  [429, "userRateLimitExceeded", "rate_limited", true, 120],
  [429, "uploadRateLimitExceeded", "rate_limited", true, 120],
  [429, null, "rate_limited", true, 120],
  [400, "uploadLimitExceeded", "rate_limited", false, 86_400],
  [400, "invalidTitle", "unknown", false, undefined],
  [400, "invalidDescription", "unknown", false, undefined],
  [400, "invalidTags", "unknown", false, undefined],
  [400, "invalidCategoryId", "unknown", false, undefined],
  [400, "invalidPublishAt", "unknown", false, undefined],
  [400, "invalidRecordingDetails", "unknown", false, undefined],
  [400, "invalidVideoMetadata", "unknown", false, undefined],
  [400, "defaultLanguageNotSet", "unknown", false, undefined],
  [400, "invalidFilename", "unknown", false, undefined],
  [403, "forbiddenPrivacySetting", "unknown", false, undefined],
  [403, "forbiddenLicenseSetting", "unknown", false, undefined],
  [403, "forbidden", "unknown", false, undefined],
  [403, "somethingNew", "unknown", false, undefined],
  [400, "constructor", "unknown", false, undefined],
  [400, "mediaBodyRequired", "media_invalid", false, undefined],
  [400, "invalidImage", "media_invalid", false, undefined],
  [500, "internalError", "platform_unavailable", true, undefined],
  [503, "backendError", "platform_unavailable", true, undefined],
  [500, null, "platform_unavailable", true, undefined],
  [502, null, "platform_unavailable", true, undefined],
  [504, null, "platform_unavailable", true, undefined],
  [408, null, "platform_unavailable", true, undefined],
  [200, null, "platform_unavailable", true, undefined],
  [302, null, "platform_unavailable", true, undefined],
])("HTTP %i with %s is %s", async (status, reason, code, transient, retryAfterSeconds) => {
  expect(await refusal(status, reason)).toEqual({
    kind: "failed",
    failure: {
      code,
      message: "In its words",
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
    transient,
  });
});

test.each(["authError", "expired", "required", "authorizationRequired", "somethingNew", null])(
  "HTTP 401 with %s is about the token",
  async (reason) => {
    expect(await refusal(401, reason)).toEqual({ kind: "token_expired" });
  },
);

test("a wait that YouTube tells is kept, and waited for where it is short", async () => {
  expect(await refusal(503, null, "600")).toMatchObject({
    failure: { retryAfterSeconds: 600 },
    transient: true,
  });
  expect(await refusal(503, null, "601")).toMatchObject({
    failure: { retryAfterSeconds: 601 },
    transient: false,
  });
});

test.each([
  ["2026-12-01T09:00:00Z", 23],
  ["2026-12-01T07:59:59Z", 1 / 3_600],
  ["2026-07-01T07:00:00Z", 24],
])("from %s it is %d hours to midnight in California", (at, hours) => {
  expect(secondsToPacificMidnight(new Date(at))).toBe(Math.round(hours * 3_600));
});

test.each([
  ["failed", "codec", "media_invalid"],
  ["failed", "conversion", "media_invalid"],
  ["failed", "emptyFile", "media_invalid"],
  ["failed", "invalidFile", "media_invalid"],
  ["failed", "tooSmall", "media_invalid"],
  ["failed", "uploadAborted", "platform_unavailable"],
  ["failed", "somethingNew", "unknown"],
  ["failed", undefined, "unknown"],
  ["rejected", "claim", "content_flagged"],
  ["rejected", "copyright", "content_flagged"],
  ["rejected", "duplicate", "content_flagged"],
  ["rejected", "inappropriate", "content_flagged"],
  ["rejected", "legal", "content_flagged"],
  ["rejected", "termsOfUse", "content_flagged"],
  ["rejected", "trademark", "content_flagged"],
  ["rejected", "length", "media_invalid"],
  ["rejected", "uploaderAccountClosed", "account_disconnected"],
  ["rejected", "uploaderAccountSuspended", "account_disconnected"],
  ["deleted", undefined, "unknown"],
])("a video that is %s for %s is %s", (uploadStatus, reason, code) => {
  const status = { uploadStatus, failureReason: reason, rejectionReason: reason };
  expect(toGivenUp(status)).toMatchObject({ kind: "failed", failure: { code }, transient: false });
});

test.each(["uploaded", "processed", "somethingNew"])("nothing speaks against %s", (status) => {
  expect(toGivenUp({ uploadStatus: status })).toBeNull();
});
