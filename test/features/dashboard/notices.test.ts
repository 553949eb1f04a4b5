import { beforeEach, expect, test } from "vitest";
import { CHAT_URL, Desk } from "../../support/desk.ts";
import type { Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";
import { newBrowser } from "../../support/push-service.ts";

let desk: Desk;
let member: Member;
let browser: Browser;

beforeEach(async () => {
  desk = await Desk.open();
  member = await desk.join();
  browser = (await new Browser(desk.harness).signIn(member)).show(desk.owner.teamId);
});

const PATH = "/app/settings";

test("a chat is set, shown without its secret, and removed", async () => {
  const saved = await browser.post(`${PATH}/messaging`, { whose: "own", url: CHAT_URL });
  expect(saved).toMatchObject({ status: 303, location: `${PATH}?done=saved` });
  const { html } = await browser.get(PATH);
  expect(html).toContain("https://chat.example/…");
  expect(html).not.toContain("secret-of-the-chat");
  const data = JSON.parse((await browser.get("/app/me/data")).html);
  expect(data.chat).toEqual({ address: "https://chat.example/…", error: null });
  await browser.post(`${PATH}/messaging`, { whose: "own" });
  expect((await browser.get(PATH)).html).not.toContain("chat.example");
});

test.each([
  ["an address that is none", { whose: "own", url: "chat" }, 400, "messaging.own: is not a URL"],
  ["somebody else's", { whose: "everybody", url: CHAT_URL }, 400, "messaging"],
  ["the team's by a member", { whose: "team", url: CHAT_URL }, 403, "owner and admins"],
])("a chat is refused: %s", async (_, fields, status, text) => {
  const page = await browser.post(`${PATH}/messaging`, fields);
  expect(page.status).toBe(status);
  expect(page.html).toContain(text);
  expect((await desk.settings(member)).messaging).toEqual({ own: null, team: null });
});

test("the team's chat is the managers' to set: a member sees it", async () => {
  const owner = await new Browser(desk.harness).signIn(desk.owner);
  await owner.post(`${PATH}/messaging`, { whose: "team", url: CHAT_URL });
  const forms = (html: string) => html.match(/name="whose" value="team"/g)?.length ?? 0;
  expect(forms((await owner.get(PATH)).html)).toBe(3);
  const { html } = await browser.get(PATH);
  expect(html).toContain("https://chat.example/…");
  expect(forms(html)).toBe(0);
});

test("a browser is added by what its script sends, named, and removed", async () => {
  const { endpoint, keys } = await newBrowser();
  const added = await browser.post(`${PATH}/push`, { endpoint, ...keys });
  expect(added).toMatchObject({ status: 303, location: `${PATH}?done=browser` });
  const { html } = await browser.get(`${PATH}?done=browser`);
  expect(html).toContain("This browser shows your notices from now on.");
  expect(html).toContain("An unknown browser");
  expect(html).not.toContain(endpoint);
  const [{ id }] = (await desk.settings(member)).push.browsers;
  expect((await browser.post(`${PATH}/push/${id}/remove`)).status).toBe(303);
  expect((await browser.post(`${PATH}/push/${id}/remove`)).status).toBe(404);
  const refused = await browser.post(`${PATH}/push`, { endpoint: "", ...keys });
  expect(refused.status).toBe(400);
});

test("the page runs its own script, by its hash, beside the files of this origin, and the worker of its own origin", async () => {
  const page = await desk.harness.request("/app/push-worker.js");
  expect(page.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(await page.text()).toContain("showNotification");
  const { html, headers } = await browser.get(PATH);
  const [, script = ""] = /<script>([\s\S]+)<\/script>/.exec(html) ?? [];
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(script));
  const policy = headers.get("content-security-policy")?.split("; ");
  expect(policy).toContain(`script-src 'self' 'sha256-${new Uint8Array(digest).toBase64()}'`);
  expect(policy).toContain("worker-src 'self'");
  expect(html).toMatch(/id="add-browser"[^>]* hidden/);
  desk.harness.deps.config = { ...desk.harness.deps.config, vapid: null };
  expect((await browser.get(PATH)).html).toContain("This instance has no keys for push.");
});
