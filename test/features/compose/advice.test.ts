import { describe, expect, test } from "vitest";
import { LOOK_FIRST } from "../../../src/core/failures.ts";
import { HELD_MESSAGE } from "../../../src/features/posts/rules.ts";
import { form, Harness } from "../../support/harness.ts";
import { beginLife, later } from "../../support/life.ts";

describe("a post whose fate is unknown", () => {
  test("says to look at the platform first, in its failure and its event", async () => {
    const life = await beginLife();
    const id = await life.insert({
      status: "processing",
      stage: "submitting",
      submitted_at: Date.now() - 3_600_000,
      lease_until: null,
      progressed_at: Date.now() - 3_600_000,
      description: "Gone",
    });
    // Its account is gone: nobody can be asked.
    await life.harness.call("DELETE", `/accounts/${life.accountId}`, { token: life.member.token });
    await life.harness.consume([{ kind: "publish", uploadId: id }]);
    const { data } = (await life.call("GET", `/upload/${id}`)).body;
    expect(data.failure.code).toBe("platform_processing_timeout");
    expect(data.errorMessage).toContain(LOOK_FIRST);
    const told = (await life.events()).find(({ name }) => name === "upload.failed");
    expect(told?.data.errorMessage).toBe(data.errorMessage);
  });

  test("is not retried without force, in the same words", async () => {
    const life = await beginLife();
    const id = await life.insert({
      status: "failed",
      failure_code: "platform_processing_timeout",
    });
    const { status, body } = await life.call("POST", `/upload/${id}/retry`);
    expect([status, body.code, body.error]).toEqual([409, "NOT_RETRYABLE", LOOK_FIRST]);
    expect((await life.call("POST", `/upload/${id}/retry`, { force: true })).status).toBe(200);
  });

  test("is told of in the document, in the same words", async () => {
    const { body } = await new Harness().call("GET", "/openapi.json");
    expect(body.components.schemas.UploadRetry.properties.force.description).toContain(LOOK_FIRST);
  });
});

describe("held for approval by a token without posts:publish, and told what that means:", () => {
  const begin = async () => {
    const life = await beginLife();
    return { ...life, asking: await life.colleague("OWNER", ["posts:read", "posts:write"]) };
  };
  const HELD_ANSWER = { status: 200, body: { success: true, message: HELD_MESSAGE } };

  test.each(["scheduled", "pending"])("an edited %s post", async (status) => {
    const { insert, call, asking } = await begin();
    const scheduled_for = status === "scheduled" ? later(3_600).getTime() : null;
    const id = await insert({ status, scheduled_for });
    const answer = await call("PATCH", `/upload/${id}`, { description: "Else" }, asking);
    expect(answer).toMatchObject(HELD_ANSWER);
    expect(answer.body.data.status).toBe("pending_approval");
  });

  test("a retried post, alone and with all that failed", async () => {
    const { insert, call, asking } = await begin();
    const id = await insert({ status: "failed" });
    expect(await call("POST", `/upload/${id}/retry`, {}, asking)).toMatchObject(HELD_ANSWER);
    await insert({ status: "failed" });
    expect(await call("POST", "/upload/retry-failed", {}, asking)).toMatchObject(HELD_ANSWER);
  });

  test("a new post, and those of a batch, whoever asks again", async () => {
    const { harness, accountId, asking } = await begin();
    const send = (path: string, fields: Record<string, string>) =>
      harness.call("POST", path, {
        token: asking,
        headers: { "idempotency-key": path },
        body: form({ description: `For ${path}`, ...fields }),
      });
    expect(await send("/upload", { accountId })).toMatchObject(HELD_ANSWER);
    const accounts = JSON.stringify([accountId]);
    const first = await send("/upload/bulk", { accounts });
    expect(first.body.message).toBe(`1 of 1 accounts have the post. ${HELD_MESSAGE}`);
    expect((await send("/upload/bulk", { accounts })).body).toEqual(first.body);
    const tried = await send("/upload/validate", { accounts });
    expect(tried.body).toMatchObject({ valid: true, message: HELD_MESSAGE });
  });

  test("and whoever may publish hears nothing of it", async () => {
    const { insert, call } = await begin();
    const id = await insert({ status: "scheduled", scheduled_for: later(3_600).getTime() });
    const { body } = await call("PATCH", `/upload/${id}`, { description: "Else" });
    expect(body).not.toHaveProperty("message");
    const failed = await insert({ status: "failed" });
    expect((await call("POST", `/upload/${failed}/retry`)).body).not.toHaveProperty("message");
  });
});
