import assert from "node:assert/strict";
import { test } from "node:test";
import { describeRefusal } from "../../src/n8n/nodes/Akimbo/shared/refusal.ts";

const describe = (status: number, body: unknown, retryAfterSeconds: number | null = null) =>
  describeRefusal("GET /api/v1/media", "https://akimbo.example", {
    status,
    body,
    retryAfterSeconds,
  });

test("an instance that is too old is named as the reason", () => {
  const missing = { success: false, error: "Nothing is at /api/v1/media. The API is …", code: "" };
  const { message, description } = describe(404, missing);
  assert.equal(message, "The instance at https://akimbo.example does not have GET /api/v1/media");
  assert.match(description, /older than this node\. Upgrade the instance/);
  assert.match(describe(405, { success: false, error: "Use POST." }).message, /does not have/);
});

test("a resource that is not found is told in the instance's words", () => {
  const { message } = describe(404, {
    success: false,
    error: "Media not found.",
    code: "NOT_FOUND",
  });
  assert.equal(message, "Media not found.");
});

test("an answer that is not Akimbo's points at the base URL", () => {
  for (const body of ["<html>", null, undefined, { message: "Not Found" }]) {
    const { message, description } = describe(404, body);
    assert.match(message, /answered GET \/api\/v1\/media with 404, and not as Akimbo does/);
    assert.match(description, /base URL/);
  }
});

test("all refused fields are shown, and what to do", () => {
  const errors = [{ message: "status: must be draft" }, { message: "title: is missing" }];
  const refused = describe(400, { success: false, error: "status: must be draft", errors });
  assert.deepEqual(refused, { message: "status: must be draft", description: "title: is missing" });
  const scope = { success: false, error: "Needs a scope.", requiredScope: "posts:read" };
  assert.match(describe(403, scope).description, /scope posts:read/);
  const cap = { success: false, message: "Daily cap.", violations: [{ message: "15 of 15" }] };
  assert.equal(describe(429, cap).message, "Daily cap.");
  assert.equal(describe(429, cap).description, "15 of 15");
  const limit = { success: false, error: "Too many calls." };
  assert.equal(describe(429, limit, 30).description, "Try again in 30 seconds.");
});
