import { beforeEach, describe, expect, test } from "vitest";
import {
  connectSandbox,
  createMember,
  form,
  Harness,
  harnessWith,
  type Member,
} from "../../support/harness.ts";

/** Accounts from a time when the sandbox was switched on. */
interface Stage {
  member: Member;
  on: Harness;
  off: Harness;
}

let stage: Stage;

beforeEach(async () => {
  const on = new Harness();
  stage = { member: await createMember(), on, off: harnessWith({ sandboxEnabled: false }) };
});

const connect = (platform: string) => connectSandbox(stage.on, stage.member, "Ada", platform);

const call = (harness: Harness, method: string, path: string, body?: BodyInit) =>
  harness.call(method, path, { token: stage.member.token, body });

const REFUSAL =
  "is a sandbox account, and the sandbox is switched off on this instance. Use an account of a real platform.";

const refused = {
  status: 409,
  body: { success: false, code: "ACCOUNT_INACTIVE", error: expect.stringContaining(REFUSAL) },
};

describe("with the sandbox switched off, an account of it", () => {
  test("takes no new post, no draft and no retry", async () => {
    const accountId = await connect("bluesky");
    const text = { accountId, description: "Hello [sandbox:unknown]" };
    expect(await call(stage.off, "POST", "/upload", form(text))).toMatchObject(refused);
    const draft = form({ ...text, status: "draft" });
    expect(await call(stage.off, "POST", "/upload", draft)).toMatchObject(refused);

    const { body } = await call(stage.on, "POST", "/upload", form(text));
    await stage.on.drain();
    const path = `/upload/${body.data.uploadId}`;
    expect((await call(stage.on, "GET", path)).body.data.status).toBe("failed");
    expect(await call(stage.off, "POST", `${path}/retry`)).toMatchObject(refused);
    expect((await call(stage.off, "POST", "/upload/retry-failed")).body.data).toMatchObject({
      retried: [],
      skipped: [{ code: "ACCOUNT_INACTIVE" }],
    });
  });

  test("is refused in bulk and in a dry run, by itself", async () => {
    const accounts = JSON.stringify([await connect("bluesky"), await connect("threads")]);
    const body = () => form({ accounts, title: "Hello", description: "Hello" });
    const bulk = await call(stage.off, "POST", "/upload/bulk", body());
    const error = expect.stringContaining(REFUSAL);
    expect(bulk.body.results).toMatchObject([
      { success: false, error },
      { success: false, error },
    ]);
    const dry = await call(stage.off, "POST", "/upload/validate", body());
    expect(dry.body).toMatchObject({ valid: false, errors: [{ error }, { error }] });
  });

  test.each([
    ["at once", {}],
    ["planned", { schedule_date: "2026-12-01T10:00:00Z" }],
  ])("does not complete what was taken before: %s", async (_, when) => {
    const accountId = await connect("bluesky");
    const fields = form({ accountId, description: "Hello", ...when });
    const { body } = await call(stage.on, "POST", "/upload", fields);
    stage.off.advance(3_600);
    await stage.off.tick();
    await stage.off.drain();
    const record = await call(stage.off, "GET", `/upload/${body.data.uploadId}`);
    expect(record.body.data).toMatchObject({
      status: "failed",
      failure: { code: "account_disconnected" },
      errorMessage: expect.stringContaining(REFUSAL),
    });
  });

  test.each([
    ["linkedin", "/accounts/linkedin/pages"],
    ["pinterest", "/pinterest/boards"],
    ["tiktok", "/tiktok/stats"],
  ])("is not asked anything: %s", async (platform, path) => {
    const accountId = await connect(platform);
    expect(await call(stage.off, "GET", `${path}?accountId=${accountId}`)).toMatchObject(refused);
  });

  test("brings no pages to those of all LinkedIn accounts", async () => {
    await connect("linkedin");
    const all = await call(stage.off, "GET", "/accounts/linkedin/pages");
    expect(all).toMatchObject({ status: 200, body: { data: [] } });
  });

  test("is still listed, and can be removed", async () => {
    const accountId = await connect("bluesky");
    const { body } = await call(stage.off, "GET", "/accounts");
    expect(body.data).toMatchObject([{ id: accountId, mode: "sandbox" }]);
    expect((await call(stage.off, "DELETE", `/accounts/${accountId}`)).status).toBe(200);
  });

  test("works again once the sandbox is on", async () => {
    const accountId = await connect("bluesky");
    const fields = form({ accountId, description: "Hello" });
    const { body } = await call(stage.on, "POST", "/upload", fields);
    await stage.on.drain();
    const { data } = (await call(stage.on, "GET", `/upload/${body.data.uploadId}`)).body;
    expect(data.status).toBe("completed");
  });
});
