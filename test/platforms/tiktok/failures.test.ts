import { expect, test } from "vitest";
import { readCreatorInfoReply } from "../../../src/platforms/tiktok/api.ts";
import { toGivenUp, toRefused } from "../../../src/platforms/tiktok/failures.ts";
import { error } from "./scripted.ts";

async function refusalOf(reply: Response) {
  const read = await readCreatorInfoReply(reply);
  if (read.ok) throw new Error("That was no refusal.");
  return read.error;
}

const answer = (status: number, code: string | null, message?: string) =>
  code === null ? new Response(null, { status }) : error(status, code, message);

const refused = (code: string, transient = false) => ({
  kind: "failed",
  failure: { code },
  transient,
});

test.each([
  [401, "scope_not_authorized", refused("account_disconnected")],
  [401, "scope_permission_missed", refused("account_disconnected")],
  [429, "rate_limit_exceeded", refused("rate_limited", true)],
  [403, "spam_risk_too_many_posts", refused("rate_limited")],
  [200, "spam_risk_too_many_posts", refused("rate_limited")],
  [403, "spam_risk_too_many_pending_share", refused("rate_limited")],
  [403, "reached_active_user_cap", refused("rate_limited")],
  [200, "reached_active_user_cap", refused("rate_limited")],
  [403, "spam_risk_user_banned_from_posting", refused("content_flagged")],
  [200, "spam_risk_user_banned_from_posting", refused("content_flagged")],
  [403, "unaudited_client_can_only_post_to_private_accounts", refused("unknown")],
  [403, "privacy_level_option_mismatch", refused("unknown")],
  [403, "url_ownership_unverified", refused("media_unreachable")],
  [400, "invalid_file_upload", refused("media_invalid")],
  [400, "app_version_check_failed", refused("unknown")],
  [400, "invalid_publish_id", refused("unknown")],
  [400, "token_not_authorized_for_specified_publish_id", refused("unknown")],
  [500, "internal_error", refused("platform_unavailable", true)],
  [200, "internal_error", refused("platform_unavailable", true)],
  [502, null, refused("platform_unavailable", true)],
  [408, null, refused("platform_unavailable", true)],
  [429, null, refused("rate_limited", true)],
  [302, null, refused("platform_unavailable", true)],
  [403, null, refused("unknown")],
  [400, "constructor", refused("unknown")],
  [401, "access_token_invalid", { kind: "token_expired" }],
  [401, null, { kind: "token_expired" }],
])("HTTP %i with %s", async (status, code, expected) => {
  const refusal = await refusalOf(answer(status, code, "In its words"));
  expect(refusal).toMatchObject({ status, code });
  expect(toRefused(refusal)).toMatchObject(expected);
});

test.each([
  ["unaudited_client_can_only_post_to_private_accounts", /Make it private.*retry.*DRAFT/],
  ["reached_active_user_cap", /5 before its audit.*Retry the post tomorrow/],
  ["scope_not_authorized", /Connect the account again.*APP_SCOPES/],
])("%s is explained, with what to do", async (code, message) => {
  const refusal = await refusalOf(answer(403, code, "In its words."));
  expect(toRefused(refusal)).toMatchObject({
    failure: { message: expect.stringMatching(message) },
  });
});

test("waits a minute for the limit of calls, of which no answer says more", async () => {
  const refusal = await refusalOf(answer(429, "rate_limit_exceeded", "Slow down"));
  expect(toRefused(refusal)).toMatchObject({
    failure: { message: "Slow down", retryAfterSeconds: 60 },
  });
});

test.each([
  ["invalid_param", "The chunk size is invalid", "media_invalid"],
  ["invalid_params", "The total video count is wrong", "media_invalid"],
  ["invalid_params", "The photo urls are wrong", "media_invalid"],
  ["invalid_params", "The title is wrong", "unknown"],
])("%s saying %j is %s", async (code, message, failure) => {
  expect(toRefused(await refusalOf(answer(400, code, message)))).toEqual({
    kind: "failed",
    failure: { code: failure, message },
    transient: false,
  });
});

test.each([
  ["file_format_check_failed", "media_invalid"],
  ["duration_check_failed", "media_invalid"],
  ["frame_rate_check_failed", "media_invalid"],
  ["picture_size_check_failed", "media_invalid"],
  ["video_pull_failed", "media_unreachable"],
  ["photo_pull_failed", "media_unreachable"],
  ["internal", "platform_unavailable"],
  ["auth_removed", "account_disconnected"],
  ["spam_risk_too_many_posts", "rate_limited"],
  ["spam_risk", "content_flagged"],
  ["spam_risk_text", "content_flagged"],
  ["spam_risk_user_banned_from_posting", "content_flagged"],
  ["publish_cancelled", "unknown"],
  ["something_new", "unknown"],
  ["toString", "unknown"],
])("a post given up for %s is %s", (reason, code) => {
  expect(toGivenUp(reason)).toEqual({
    kind: "failed",
    failure: { code, message: `TikTok did not publish the post: ${reason}.` },
    transient: false,
  });
});

test("a post given up for no reason is unknown", () => {
  expect(toGivenUp(null)).toMatchObject({ failure: { code: "unknown" } });
});
