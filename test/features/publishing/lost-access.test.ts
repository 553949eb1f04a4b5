import { describe, expect, test } from "vitest";
import { createCipher } from "../../../src/core/encryption.ts";
import type { Platform } from "../../../src/core/platforms.ts";
import { deliver } from "../../../src/sandbox/kit/simulator.ts";
import { graphError } from "../../../src/sandbox/meta/graph.ts";
import { linkedinPage } from "../../platforms/linkedin/row.ts";
import { type Around, aroundBatches } from "../../support/database.ts";
import { openStage, type Stage } from "../../support/stage.ts";
import { expectExpired, onStage } from "./lost-account.ts";

describe("an account that its platform refuses for good", () => {
  // expired.long.test.ts has every platform.
  test.each<Platform>(["bluesky", "tiktok"])(
    "of %s is expired with the failure, and stays refused until it is reconnected",
    expectExpired,
    60_000,
  );

  /** Has `look` see every batch of statements, as text, before it is run. */
  function watchBatches({ harness }: Pick<Stage, "harness">, look: (batch: string) => unknown) {
    const around: Around = async (run, text) => {
      await look(text);
      return run();
    };
    aroundBatches(harness, around);
  }

  test("is written down in one batch with the failure", async () => {
    const stage = await onStage("threads");
    const batches: string[] = [];
    watchBatches(stage, (batch) => batches.push(batch));
    await stage.post("Lost [sandbox:account_disconnected]");
    const failing = batches.filter((batch) => batch.includes("upload.failed"));
    expect(failing).toHaveLength(1);
    expect(failing[0]).toContain("connected_account.expired");
  });

  test("is not expired where a person has reconnected it meanwhile", async () => {
    const stage = await onStage("threads");
    let reconnections = 0;
    watchBatches(stage, async (batch) => {
      if (!batch.includes("connected_account.expired") || reconnections++ > 0) return;
      await stage.connect();
    });
    const lost = await stage.post("Lost [sandbox:account_disconnected]");
    expect(lost).toMatchObject({ failure: { code: "account_disconnected" } });
    expect(reconnections).toBe(1);
    expect(await stage.readAccount()).toMatchObject({ status: "active" });
    expect(await stage.events()).not.toContain("connected_account.expired");
  });
});

describe("an account whose login was encrypted with another key", () => {
  test.each([
    ["of the same name", (id: string) => id],
    ["of another name", (id: string) => `${id}2`],
  ])("%s is expired with the failure, and its platform hears nothing", async (_, idOf) => {
    const stage = await onStage("bluesky");
    const { deps } = stage.harness;
    const id = idOf(deps.config.encryptionKeys[0]?.id ?? "");
    deps.cipher = createCipher([{ id, bytes: crypto.getRandomValues(new Uint8Array(32)) }]);
    const { result: lost, calls } = await stage.watch(() => stage.post("Restored elsewhere"));
    expect(lost).toMatchObject({ status: "failed", failure: { code: "account_disconnected" } });
    expect(lost.errorMessage).toContain("can no longer be decrypted");
    expect(calls).toEqual([]);
    expect(await stage.readAccount()).toMatchObject({ status: "expired" });
    expect(await stage.feed()).toEqual([]);
  });
});

const PERMISSION = "(#10) Application does not have permission for this action";
const refusePublishing = () => graphError(10, PERMISSION, { status: 403 }).toResponse();

describe("an account that its platform still knows", () => {
  test("stays active, and the failure says what is missing", async () => {
    const stage = await onStage("threads");
    const { result: refused, calls } = await stage.watch(
      () => stage.post("Not allowed"),
      async ({ url }, answer) =>
        url.pathname.endsWith("/threads_publish") ? refusePublishing() : answer(),
    );
    expect(refused).toMatchObject({ failure: { code: "account_disconnected" } });
    expect(refused.errorMessage).toContain(PERMISSION);
    expect(refused.errorMessage).toContain("threads_content_publish");
    expect(refused.errorMessage).toContain("still connected");
    expect(calls.filter((name) => name === "GET me")).toHaveLength(1);
    expect(await stage.readAccount()).toMatchObject({ status: "active", failureCount: 1 });
    expect(await stage.retry(refused.id)).toMatchObject({ status: 200 });
  });

  test.each([
    ["answers with an outage", () => new Response("", { status: 503 })],
    ["does not answer", () => deliver({ kind: "dropped" }, new Response())],
  ])("stays active where the question %s", async (_, reply) => {
    const stage = await onStage("threads");
    const { result: refused } = await stage.watch(
      () => stage.post("Not allowed"),
      async ({ url }, answer) => {
        if (url.pathname.endsWith("/threads_publish")) return refusePublishing();
        return url.pathname.endsWith("/me") ? reply() : answer();
      },
    );
    expect(refused).toMatchObject({ errorMessage: PERMISSION });
    expect(await stage.readAccount()).toMatchObject({ status: "active" });
  });
});

test("a page of a login that has lost its role there is expired, the person's login or not", async () => {
  const stage = await openStage("linkedin", linkedinPage);
  const denied = () =>
    Response.json({ status: 403, code: "ACCESS_DENIED", message: "No role" }, { status: 403 });
  const { upload } = await stage.publish(
    { description: "As a page" },
    async ({ request, url }, answer) => {
      if (request.method === "POST" && url.pathname === "/rest/posts") return denied();
      if (url.pathname === "/rest/organizationAcls") return Response.json({ elements: [] });
      return answer();
    },
  );
  expect(upload).toMatchObject({ failure: { code: "account_disconnected" } });
  expect(await stage.readAccount()).toMatchObject({ status: "expired" });
});
