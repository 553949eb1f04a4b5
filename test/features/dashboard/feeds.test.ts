import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { connectSandbox, createMember, Harness, type Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";
import { rss, rssItem } from "../feeds/samples.ts";

let harness: Harness;
let member: Member;
let browser: Browser;
let account: string;

beforeEach(async () => {
  await env.DB.exec("DELETE FROM feeds; DELETE FROM feed_entries;");
  harness = new Harness();
  harness.network = async () => new Response(rss(rssItem(1)));
  member = await createMember();
  account = await connectSandbox(harness, member);
  browser = await new Browser(harness).signIn(member);
});

const PATH = "/app/feeds";
const url = "https://blog.example/feed";

const feeds = async () => (await harness.call("GET", "/feeds", { token: member.token })).body.data;

test("a feed is added once, changed, switched off and deleted", async () => {
  const added = await browser.post(PATH, { url, account, template: "{title}", status: "draft" });
  expect(added).toMatchObject({ status: 303, location: `${PATH}?done=added` });
  const [feed] = await feeds();
  expect(feed).toMatchObject({ url, accountIds: [account], template: "{title}", status: "draft" });
  expect((await browser.get(PATH)).html).toContain(`href="${url}"`);
  const form = await browser.get(`${PATH}/${feed.id}`);
  expect(form.html).toContain(`action="${PATH}/${feed.id}?`);
  const changed = await browser.post(`${PATH}/${feed.id}`, {
    url,
    account,
    template: "{link}",
    status: "now",
  });
  expect(changed.location).toBe(`${PATH}?done=changed`);
  expect(await feeds()).toMatchObject([{ template: "{link}", status: null, picture: false }]);
  const twin = await browser.post(PATH, { url, account, template: "{title}", status: "draft" });
  expect(twin.status).toBe(400);
  expect(twin.html).toContain(`feed ${feed.id} brings it to one of these accounts already`);
  await browser.post(`${PATH}/${feed.id}/switch`, { on: "0" });
  expect(await feeds()).toMatchObject([{ isActive: false }]);
  await browser.post(`${PATH}/${feed.id}/delete`, {});
  expect(await feeds()).toEqual([]);
});

test.each([
  ["no account", {}, "accountIds"],
  ["an address that is none", { account: true, url: "blog" }, "url"],
  ["a variable that is none", { account: true, template: "{titel}" }, "titel"],
])("%s is refused, and what was written stays", async (_, fields: object, message) => {
  const sent = {
    url,
    template: "{title}",
    status: "draft",
    ...fields,
    ...("account" in fields ? { account } : {}),
  };
  const { status, html } = await browser.post(PATH, sent);
  expect(status).toBe(400);
  expect(html).toContain(message);
  expect(html).toContain(`value="${sent.url}"`);
  expect(await feeds()).toEqual([]);
});
