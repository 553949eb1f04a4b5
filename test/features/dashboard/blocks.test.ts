import { beforeEach, expect, test } from "vitest";
import { connectSandbox, createMember, form, Harness, type Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

let harness: Harness;
let member: Member;
let browser: Browser;

beforeEach(async () => {
  harness = new Harness();
  member = await createMember();
  browser = await new Browser(harness).signIn(member);
});

const PATH = "/app/blocks";

const blocks = async () =>
  (await harness.call("GET", "/blocks", { token: member.token })).body.data;

test("a block is saved, changed and deleted", async () => {
  const saved = await browser.post(PATH, { name: "signature", kind: "text", text: "— The team" });
  expect(saved).toMatchObject({ status: 303, location: `${PATH}?done=saved` });
  await browser.post(PATH, { name: "signature", kind: "text", text: "— All of us" });
  expect(await blocks()).toMatchObject([{ name: "signature", text: "— All of us" }]);
  const { html } = await browser.get(`${PATH}?name=signature`);
  expect(html).toContain("{block:signature}");
  expect(html).toContain("Change signature");
  await browser.post(`${PATH}/signature/delete`, {});
  expect(await blocks()).toEqual([]);
});

test("UTM parameters are built from fields, and added to an address", async () => {
  await browser.post(PATH, {
    name: "spring",
    kind: "utm",
    utm_source: "{platform}",
    utm_medium: "social",
    utm_campaign: "spring & summer",
    utm_term: "",
  });
  const text = "utm_source={platform}&utm_medium=social&utm_campaign=spring%20%26%20summer";
  expect(await blocks()).toMatchObject([{ name: "spring", kind: "utm", text }]);
  const account = await connectSandbox(harness, member);
  const description = "{block:spring|https://example.com/shop?a=1}";
  const { body } = await harness.call("POST", "/upload", {
    token: member.token,
    body: form({ accountId: account, description, status: "draft" }),
  });
  const { body: made } = await harness.call("GET", `/upload/${body.data.uploadId}`, {
    token: member.token,
  });
  expect(made.data.description).toBe(
    "https://example.com/shop?a=1&utm_source=bluesky&utm_medium=social&utm_campaign=spring+%26+summer",
  );
});

test.each([
  ["a name that is none", { name: "Spring sale!", text: "x" }, "small letters, digits"],
  ["no text", { name: "spring", text: "" }, "text"],
  ["UTM parameters that are all empty", { name: "spring", kind: "utm" }, "text"],
])("%s is refused, and what was written stays", async (_, fields, message) => {
  const { status, html } = await browser.post(PATH, fields);
  expect(status).toBe(400);
  expect(html).toContain(message);
  expect(html).toContain(`value="${fields.name}"`);
  expect(await blocks()).toEqual([]);
});

test("the composer names the blocks", async () => {
  await browser.post(PATH, { name: "signature", kind: "text", text: "— {who}" });
  expect((await browser.get("/app/compose")).html).toContain("{block:signature|who=…}");
});
