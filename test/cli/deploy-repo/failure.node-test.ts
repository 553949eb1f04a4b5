import assert from "node:assert/strict";
import { test } from "node:test";
import { type Failure, judgeFailure, type Optional } from "../../../src/cli/deploy-repo/failure.ts";

const failedCall = (resource: string, note: string) =>
  `[ERROR] A request to the Cloudflare API (/accounts/acc${resource}) failed.\n\n  ${note}\n`;
const answered = (line: string) =>
  `[ERROR] Received a malformed response from the API\n\n  <html> <head><title>...\n  ${line}\n`;

/** The words of wrangler 4 and of Cloudflare's API. */
const COMPLAINTS: [Failure, string][] = [
  ["queues", failedCall("/queues", "Authentication error [code: 10000]")],
  [
    "queues",
    failedCall(
      "/workers/scripts/akimbo",
      "In order to use Queues, you must enable your account at\n  the dashboard. [code: 11002]",
    ),
  ],
  ["queues", failedCall("/queues", "Queues are unavailable on the free plan. [code: 100129]")],
  [
    "queues",
    failedCall("/workers/scripts/akimbo", "Queue akimbo-publish not found. [code: 11000]"),
  ],
  [
    "r2_buckets",
    failedCall("/r2/buckets", "Please enable R2 through the Cloudflare Dashboard. [code: 10042]"),
  ],
  ["r2_buckets", failedCall("/r2/buckets", "Authentication error [code: 10000]")],
  [
    "images",
    failedCall(
      "/workers/scripts/akimbo",
      "You do not have access to this feature. Please ensure it is\n  enabled.: images bindings require images perms [code: 10023]",
    ),
  ],
  ["passing", answered("POST /accounts/acc/queues -> 502 Bad Gateway")],
  ["passing", answered("GET /accounts/acc/r2/buckets -> 429 Too Many Requests")],
  ["passing", failedCall("/queues", "Internal error [code: 10002]")],
  ["passing", failedCall("/r2/buckets", "Internal Server Error [code: 10001]")],
  [
    "passing",
    failedCall("/queues", "Please wait and consider throttling your request speed [code: 971]"),
  ],
  [
    "passing",
    failedCall(
      "/queues",
      'The API responded with a "Retry-After" header indicating you should wait',
    ),
  ],
  ["passing", "[ERROR] The request to Cloudflare's API timed out."],
  ["passing", "[ERROR] fetch failed"],
  [
    "passing",
    "[ERROR] The Cloudflare API responded with a WAF block page instead of the expected JSON response\n  POST /accounts/acc/queues -> 403 Forbidden",
  ],
  ["other", failedCall("/queues", "The name of the queue is not valid. [code: 11003]")],
  ["other", failedCall("/d1/database", "Authentication error [code: 10000]")],
  ["other", failedCall("/workers/scripts/my-queue/versions", "Authentication error [code: 10000]")],
];

for (const [failure, complaint] of COMPLAINTS) {
  test(`${failure}: ${complaint.replaceAll(/\s+/g, " ")}`, () => {
    assert.equal(
      judgeFailure(complaint, () => true),
      failure,
    );
  });
}

test("what the configuration does not have is not left out again", () => {
  const refused = failedCall("/queues", "Authentication error [code: 10000]");
  const isUsed = (name: Optional) => name !== "queues";
  assert.equal(judgeFailure(refused, isUsed), "other");
});
