import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connectSandbox, createMember, type Fields, form, Harness } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

async function published(fields: Fields) {
  const harness = new Harness();
  const member = await createMember();
  const { token } = member;
  const browser = await new Browser(harness).signIn(member);
  const accountId = await connectSandbox(harness, member);
  const body = form({ accountId, description: "The post", ...fields });
  const created = await harness.call("POST", "/upload", { token, body });
  await harness.drain();
  const id = created.body.data.uploadId;
  const call = (method: string, path: string) => harness.call(method, path, { token, json: {} });
  return { harness, browser, accountId, id, page: `/app/uploads/${id}`, call };
}

const FAILING = { first_comment: "Below [sandbox:unknown]" };

test("a retry of a published post says that what is not out goes out", async () => {
  const { browser, page } = await published(FAILING);
  const { location } = await browser.post(`${page}/retry`);
  expect(location).toBe(`${page}?done=continued`);
  const { html } = await browser.get(location ?? "");
  expect(html).toContain("What is not out yet goes out now.");
  expect(html).not.toContain("queued again");
});

test("a retry without the account says that the parts cannot be sent", async () => {
  const { accountId, id, call } = await published(FAILING);
  expect((await call("DELETE", `/accounts/${accountId}`)).status).toBe(200);
  const { body } = await call("POST", `/upload/${id}/retry`);
  expect(body).toMatchObject({ code: "ACCOUNT_INACTIVE" });
  expect(body.error).toContain("what is not out cannot be sent");
  expect(body.error).not.toContain("new post");
});

test("parts of a post that was taken down are shown as taken down, without their addresses", async () => {
  const { browser, accountId, id, page, call } = await published({ first_comment: "Below" });
  expect((await browser.get(page)).html).toContain(
    "<strong>Part 1, first comment</strong>, published",
  );
  expect((await call("POST", `/upload/${id}/unpublish`)).status).toBe(200);
  await env.DB.prepare("UPDATE accounts SET mode = 'live' WHERE id = ?").bind(accountId).run();
  const { html } = await browser.get(page);
  expect(html).toContain("<strong>Part 1, first comment</strong>, taken down");
  expect(html).not.toContain("Open it on");
});

test("parts have the numbers that the warnings name", async () => {
  const thread = '["Two","Three [sandbox:content_flagged]"]';
  const { browser, page } = await published({ thread, first_comment: "Below" });
  const { html } = await browser.get(page);
  for (const text of [
    "<strong>Part 1, post of the thread</strong>, published",
    "<strong>Part 2, post of the thread</strong>, failed",
    "<strong>Part 3, first comment</strong>, failed",
    "<li>Part 2: ",
    "akimbo edit changes its text",
  ]) {
    expect(html).toContain(text);
  }
});
