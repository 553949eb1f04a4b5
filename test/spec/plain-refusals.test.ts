import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { FAILURE_CODES } from "../../src/core/failures.ts";
import { groupOf, UPLOAD_STATUSES } from "../../src/core/upload-status.ts";
import { connectSandbox, createMember, form, Harness } from "../support/harness.ts";

/** States and codes that belong into fields: in a sentence they are no words. */
const NO_WORDS = new RegExp(
  [...FAILURE_CODES, ...UPLOAD_STATUSES].filter((name) => name.includes("_")).join("|"),
);
/** A status that a post is said to have, as its field has it. */
const AS_FIELD =
  /\bis (?:pending|processing|completed|draft)\b|\((?:completed|processing|pending)\)/;

test("refusals say where a post stands in words, whatever its status and the call", async () => {
  const harness = new Harness();
  const member = await createMember();
  const { token } = member;
  const accountId = await connectSandbox(harness, member);
  const refusals: string[] = [];
  for (const [i, status] of UPLOAD_STATUSES.entries()) {
    const body = form({ accountId, description: `A post, number ${i}`, status: "draft" });
    const made = await harness.call("POST", "/upload", { token, body });
    const id = made.body.data.uploadId;
    const failure = status === "failed" ? "account_disconnected" : null;
    await env.DB.prepare(
      "UPDATE uploads SET status = ?, status_group = ?, failure_code = ?, failed_at = ? WHERE id = ?",
    )
      .bind(status, groupOf(status), failure, failure && Date.now(), id)
      .run();
    const calls: [string, string, object?][] = [
      ["POST", `/upload/${id}/retry`],
      ["PATCH", `/upload/${id}`, { status: "draft" }],
      ["PATCH", `/upload/${id}`, { status: "pending_approval" }],
      ["PATCH", `/upload/${id}`, { description: "Other words" }],
      ["POST", `/upload/${id}/submit`],
      ["POST", `/upload/${id}/approve`],
      ["POST", `/upload/${id}/request-changes`, { comment: "Shorter" }],
      ["POST", "/upload/review-links", { uploadIds: [id] }],
    ];
    for (const [method, path, json] of calls) {
      const { status: answered, body: answer } = await harness.call(method, path, { token, json });
      if (answered === 409 || answered === 400) refusals.push(answer.error);
      await env.DB.prepare("UPDATE uploads SET status = ?, status_group = ? WHERE id = ?")
        .bind(status, groupOf(status), id)
        .run();
    }
  }
  expect(refusals.length).toBeGreaterThan(15);
  for (const refusal of refusals) {
    expect(refusal).not.toMatch(NO_WORDS);
    expect(refusal).not.toMatch(AS_FIELD);
  }
});
