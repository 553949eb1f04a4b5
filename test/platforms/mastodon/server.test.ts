import { beforeEach, expect, test } from "vitest";
import { callTool } from "../../support/agent.ts";
import { walkConsent } from "../../support/consent.ts";
import { createMember, form, Harness, type Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

let harness: Harness;
let owner: Member;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
});

const call = (method: string, path: string, options: object = {}) =>
  harness.call(method, path, { token: owner.token, ...options });

async function connect(server: string): Promise<string> {
  const json = { platform: "mastodon", mode: "sandbox", server };
  const start = await call("POST", "/accounts", { json });
  await walkConsent(new Browser(harness), start.body.authorizationUrl, { name: "Ada" });
  const { body } = await call("GET", "/accounts");
  return body.data[0].id;
}

const LONG = "x".repeat(4_000);

test("an account keeps the limits of its server, and its posts are held against them", async () => {
  const accountId = await connect("generous.sandbox.test");
  const { body } = await call("GET", `/accounts/${accountId}`);
  expect(body.data.serverLimits).toMatchObject({
    postCharacters: 5_000,
    maxFiles: 8,
    linkCharacters: 23,
    mimeTypes: expect.arrayContaining(["image/webp"]),
  });
  const taken = await call("POST", "/upload", { body: form({ accountId, description: LONG }) });
  expect(taken.body).toMatchObject({ success: true });
  await harness.drain();
  const sent = await call("GET", `/upload/${taken.body.data.uploadId}`);
  expect(sent.body.data).toMatchObject({ status: "completed" });
  const refused = await call("POST", "/upload", {
    body: form({ accountId, description: LONG + LONG }),
  });
  expect(refused.body.errors).toMatchObject([
    { field: "description", message: expect.stringContaining("takes 5,000 characters") },
  ]);
});

test("a second account of a server comes by the app of the first", async () => {
  await connect("mastodon.sandbox.test");
  const json = { platform: "mastodon", mode: "sandbox", server: "mastodon.sandbox.test" };
  const start = await call("POST", "/accounts", { json });
  await walkConsent(new Browser(harness), start.body.authorizationUrl, { name: "Grace" });
  const { body } = await call("GET", "/accounts");
  expect(body.data.map(({ accountName }: { accountName: string }) => accountName).sort()).toEqual([
    "Ada",
    "Grace",
  ]);
});

test("an edit is held against them too", async () => {
  const accountId = await connect("generous.sandbox.test");
  const made = await call("POST", "/upload", {
    body: form({ accountId, description: "Short", status: "draft" }),
  });
  const edit = (description: string) =>
    call("PATCH", `/upload/${made.body.data.uploadId}`, { json: { description } });
  expect(await edit(LONG)).toMatchObject({ status: 200 });
  expect((await edit(LONG + LONG)).body.errors).toMatchObject([{ field: "description" }]);
});

test("agents see them in the list of accounts", async () => {
  await connect("generous.sandbox.test");
  const { structuredContent } = await callTool(harness, owner.token, "list_accounts", {});
  expect(structuredContent).toMatchObject({
    accounts: [{ serverLimits: { postCharacters: 5_000 } }],
  });
});

test.each(["not a server", "10.0.0.1", "localhost", "ftp://mastodon.social"])(
  "%s is no address of a server",
  async (server) => {
    const json = { platform: "mastodon", mode: "sandbox", server };
    expect(await call("POST", "/accounts", { json })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "server" }] },
    });
  },
);

test("another server has other limits", async () => {
  const accountId = await connect("mastodon.sandbox.test");
  const refused = await call("POST", "/upload", { body: form({ accountId, description: LONG }) });
  expect(refused.body.errors[0].message).toContain("takes 500 characters");
});

test("accounts of other platforms have no limits of their own", async () => {
  const json = { platform: "bluesky", sandbox: true };
  const { body } = await call("POST", "/accounts", { json });
  const read = await call("GET", `/accounts/${body.data.id}`);
  expect(read.body.data.serverLimits).toBeNull();
});
