import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { FilledForm } from "../../support/filled-form.ts";
import { connectSandbox, createMember, Harness, harnessWith } from "../../support/harness.ts";
import { Browser, type Page } from "../../support/person.ts";

async function enter() {
  const harness = new Harness();
  const member = await createMember();
  const browser = await new Browser(harness).signIn(member);
  const account = await connectSandbox(harness, member, "Blue", "bluesky");
  const postIds = async () => {
    const { results } = await env.DB.prepare(
      "SELECT id FROM uploads WHERE team_id = ? AND deleted_at IS NULL ORDER BY id",
    )
      .bind(member.teamId)
      .all<{ id: number }>();
    return results.map(({ id }) => id);
  };
  const call = (method: string, path: string, json?: object) =>
    harness.call(method, path, { token: member.token, ...(json && { json }) });
  return { harness, member, browser, account, call, postIds };
}

const formOf = ({ html }: Page) => new FilledForm(html, "compose");

const open = async (browser: Browser, query = "") =>
  formOf(await browser.get(`/app/compose${query}`));

const send = (browser: Browser, form: FilledForm, button = "send") =>
  browser.send(form.action, { method: "POST", body: form.press(button) });

const wordsAt = ({ html }: Page, place: string) =>
  new RegExp(`id="${place}"[^>]*>([^<]*)`).exec(html)?.[1];

test("an account that was removed meanwhile is told before anything goes out to the others", async () => {
  const { harness, member, browser, account, call, postIds } = await enter();
  const other = await connectSandbox(harness, member, "Ex", "x");
  const form = (await open(browser)).set("accountId", account, other).set("description", "Both");
  await call("DELETE", `/accounts/${other}`);
  const refused = await send(browser, form);
  expect(refused.status).toBe(400);
  expect(wordsAt(refused, "accountId-error")).toContain("was removed");
  expect(await postIds()).toEqual([]);
  const again = formOf(refused);
  expect(again.all("description")).toEqual(["Both"]);
  expect((await send(browser, again)).status).toBe(303);
  expect(await postIds()).toHaveLength(1);
});

test("a pool that was removed meanwhile leaves the text, and nothing is published in its place", async () => {
  const { browser, account, call, postIds } = await enter();
  const { body } = await call("POST", "/pools", { name: "Evergreen", timezone: "UTC" });
  const form = (await open(browser)).set("accountId", account).set("description", "Queued");
  form.set("when", "pool").set("poolId", String(body.pool.id));
  const saved = await send(browser, form, "save");
  await call("DELETE", `/pools/${body.pool.id}`);
  const draft = await open(browser, saved.location?.slice("/app/compose".length));
  expect(draft.all("when")).toEqual([]);
  for (const [one, words] of [
    [form, "The pool was removed"],
    [draft, "Choose what happens"],
  ] as const) {
    const refused = await send(browser, one);
    expect(refused.status).toBe(400);
    expect(wordsAt(refused, "when-error")).toContain(words);
    expect(formOf(refused).all("description")).toEqual(["Queued"]);
  }
  expect(await postIds()).toEqual([]);
});

test.each(["send", "add-part"])(
  "a post that was removed while it is edited: %s keeps the text",
  async (button) => {
    const { browser, account, call, postIds } = await enter();
    const form = (await open(browser)).set("accountId", account).set("description", "Before");
    await send(browser, form.set("when", "draft").set("date", "2026-12-24").set("time", "18:30"));
    const [id] = await postIds();
    const edited = (await open(browser, `?upload=${id}`)).set("description", "After");
    expect((await call("DELETE", `/upload/${id}`)).body).toMatchObject({ success: true });
    const told = await send(browser, edited, button);
    expect(told.status).toBe(button === "send" ? 409 : 200);
    const kept = formOf(told);
    expect(kept.all("description")).toEqual(["After"]);
    expect([kept.all("when"), kept.all("time")]).toEqual([["at"], ["18:30"]]);
    if (button === "send") expect(told.html).toContain("The post was removed");
    expect((await send(browser, kept.set("accountId", account))).status).toBe(303);
    expect(await postIds()).toHaveLength(1);
  },
);

test("a page that was sent before sends nothing else, and says how to", async () => {
  const { browser, account, postIds } = await enter();
  const form = (await open(browser)).set("accountId", account).set("description", "First");
  await send(browser, form);
  const refused = await send(browser, form.set("description", "Second"));
  expect(refused.status).toBe(422);
  expect(refused.html).toContain("This page was sent before");
  expect(await postIds()).toHaveLength(1);
  const copy = await send(browser, formOf(refused), "copy");
  const draft = await open(browser, copy.location?.slice("/app/compose".length));
  expect((await send(browser, draft)).status).toBe(303);
  expect(await postIds()).toHaveLength(2);
});

test("a draft leaves in the batch that stores its posts", async () => {
  const { browser, account, call, postIds } = await enter();
  const form = (await open(browser)).set("accountId", account).set("description", "Once");
  const saved = await send(browser, form, "save");
  const query = saved.location?.slice("/app/compose".length);
  const draft = await open(browser, query);
  await env.DB.exec(
    "CREATE TRIGGER stopped BEFORE DELETE ON drafts BEGIN SELECT RAISE(ABORT, 'stopped'); END",
  );
  expect((await send(browser, draft)).status).toBe(500);
  expect(await postIds()).toEqual([]);
  await env.DB.exec("DROP TRIGGER stopped");
  expect((await send(browser, draft)).status).toBe(303);
  expect(await postIds()).toHaveLength(1);
  expect((await call("GET", "/drafts")).body.data).toEqual([]);
});

test("sends count like POST /upload, and the text of one too many stays", async () => {
  const harness = harnessWith({
    rateLimits: { "upload-create": { limit: 2, windowSeconds: 900 } },
  });
  const member = await createMember();
  const browser = await new Browser(harness).signIn(member);
  const headers = { "cf-connecting-ip": "198.18.255.7" };
  const form = (await open(browser)).set("description", "One too many");
  const sendOne = () =>
    browser.send(form.action, { method: "POST", headers, body: form.press("send") });
  for (let i = 0; i < 2; i++) expect((await sendOne()).status).toBe(400);
  const refused = await sendOne();
  expect(refused.status).toBe(429);
  expect(refused.html).toContain("Try again in");
  expect(formOf(refused).all("description")).toEqual(["One too many"]);
});

test("a button that is none sends nothing, and a file that is none stops the others", async () => {
  const { browser, account, postIds } = await enter();
  const form = (await open(browser)).set("accountId", account).set("description", "Stays");
  const body = form.press("send");
  body.set("do", "sendx");
  expect((await browser.send(form.action, { method: "POST", body })).status).toBe(200);
  const refused = await send(browser, form.set("mediaId", "nothing"));
  expect(refused.status).toBe(400);
  expect(wordsAt(refused, "photo-error")).toContain("Add it again");
  expect(await postIds()).toEqual([]);
});
