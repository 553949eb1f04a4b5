import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { SUBSCRIBABLE } from "../../../src/features/events/catalogue.ts";
import { forgetSlow } from "../../../src/features/webhooks/round.ts";
import { fails, Hooks, RECEIVER_URL, succeeds } from "../../support/hooks.ts";
import { Browser } from "../../support/person.ts";

let hooks: Hooks;
let browser: Browser;

beforeEach(async () => {
  forgetSlow();
  hooks = await Hooks.open();
  browser = await new Browser(hooks.harness).signIn(hooks.member);
});

const show = async (path: string): Promise<string> => {
  const page = await browser.get(path);
  expect(page.status, page.html).toBe(200);
  return page.html;
};

const secretIn = (html: string): string => /whsec_[0-9a-f]+/.exec(html)?.[0] ?? "";

describe("making a webhook", () => {
  test("shows its secret once, with which events arrive signed", async () => {
    const events = ["suggestion.created", "upload.failed"];
    const made = await browser.post("/app/webhooks", { url: RECEIVER_URL, events });
    expect(made.status).toBe(200);
    expect(secretIn(made.html)).not.toBe("");
    expect(secretIn(await show("/app/webhooks"))).toBe("");
    await hooks.suggest();
    await hooks.harness.deliverEvents();
    expect(hooks.arrivals).toHaveLength(1);
  });

  test("has every event, each with an example", async () => {
    const html = await show("/app/webhooks");
    for (const name of SUBSCRIBABLE) {
      expect(html).toContain(`value="${name}"`);
      expect(html).toContain(`&quot;event&quot;: &quot;${name}&quot;`);
    }
  });

  test.each<[what: string, fields: Record<string, string | string[]>, words: string]>([
    ["no address", { url: "receiver", events: "upload.failed" }, "Is not a URL."],
    ["no event", { url: RECEIVER_URL }, "Choose at least one event of these."],
    ["nothing", { url: "" }, "Choose at least one event of these."],
    ["an unknown event", { url: RECEIVER_URL, events: "upload.eaten" }, "Choose at least one"],
    [
      "a short secret",
      { url: RECEIVER_URL, events: "upload.failed", secret: "short" },
      "Give 16 to 255 letters",
    ],
  ])("is refused with %s, and keeps what was sent", async (_, fields, words) => {
    const page = await browser.post("/app/webhooks", fields);
    expect(page.status).toBe(400);
    expect(page.html).toContain(`role="alert">${words}`);
    expect(page.html).toContain(`value="${fields.url}"`);
    expect(await hooks.call("GET", "/webhooks")).toMatchObject({ body: { data: [] } });
  });
});

describe("a webhook", () => {
  let id: number;
  let path: string;

  beforeEach(async () => {
    ({ id } = await hooks.subscribe());
    path = `/app/webhooks/${id}`;
  });

  const attemptIn = (html: string): string =>
    /\/app\/webhooks\/\d+\/attempts\/(dlv_\w+)/.exec(html)?.[0] ?? "";

  test.each<[what: string, replies: (typeof fails)[], words: string, share: string]>([
    ["works", [succeeds, succeeds], "Works", "100 % of 2 attempts"],
    ["fails at times", [succeeds, fails], "Fails at times", "50 % of 2 attempts"],
    ["fails", [fails, fails], "Fails", "0 % of 2 attempts"],
  ])("that %s says so", async (_, replies, words, share) => {
    for (const reply of replies) {
      hooks.replies = [reply];
      await hooks.call("POST", `/webhooks/${id}/test`);
      await hooks.harness.drainEvents();
    }
    for (const html of [await show("/app/webhooks"), await show(path)]) {
      expect(html).toContain(`>${words}</span>`);
      expect(html).toContain(share);
    }
    hooks.harness.advance(25 * 3_600);
    expect(await show(path)).toContain("Nothing was sent in the last 24 hours.");
  });

  test("is tried, paused and switched on", async () => {
    expect((await browser.post(`${path}/test`)).location).toBe(`${path}?done=tested#attempts`);
    await hooks.harness.drainEvents();
    expect(await show(path)).toContain("webhook.ping");
    await browser.post(`${path}/switch`, { isActive: "no" });
    expect(await show(path)).toContain(">Paused</span>");
    await browser.post(`${path}/switch`, { isActive: "yes" });
    expect((await hooks.webhook(id)).isActive).toBe(true);
  });

  test("has a new secret, shown once, after a sentence about what it does", async () => {
    const asking = /<details>\s*<summary>Make a new secret….*?<\/details>/s.exec(await show(path));
    expect(asking?.[0]).toContain("the old one never again");
    expect(asking?.[0]).toContain(`action="${path}/rotate`);
    const { html } = await browser.post(`${path}/rotate`);
    expect(secretIn(html)).not.toBe("");
    expect(secretIn(await show(path))).toBe("");
  });

  test("shows what was sent and answered, and sends it again", async () => {
    hooks.replies = [() => new Response("<b>no</b>", { status: 500 })];
    await hooks.suggest();
    await hooks.harness.deliverEvents();
    const place = attemptIn(await show(path));
    const html = await show(place);
    expect(html).toContain("POST /hook");
    expect(html).toContain("&quot;title&quot;: &quot;Idea&quot;");
    expect(html).toContain("Status 500");
    expect(html).toContain("&lt;b&gt;no&lt;/b&gt;");
    expect((await browser.post(`${place}/replay`)).location).toBe(`${path}?done=replayed`);
    await hooks.harness.drainEvents();
    expect(new Set(hooks.arrivals.map(({ eventId }) => eventId)).size).toBe(1);
    await browser.post(`${path}/switch`, { isActive: "no" });
    const off = await show(place);
    expect(off).not.toContain(`"${place}/replay`);
    expect(off).toContain(`<a href="${path}">Switch it on</a> to send this again.`);
  });

  test("sends all that failed again", async () => {
    hooks.reply = fails;
    await hooks.suggest();
    await hooks.harness.drainEvents();
    const sent = await browser.post(`${path}/replay-failed`, { hours: "24" });
    expect(await show(sent.location ?? "")).toContain("1 event is on its way again.");
    const none = await browser.post(`${path}/replay-failed`, { hours: "24" });
    expect(await show(none.location ?? "")).toContain("No event has failed for good");
  });

  test("pages its attempts", async () => {
    for (let i = 0; i < 55; i++) {
      await hooks.call("POST", `/webhooks/${id}/test`);
      hooks.harness.advance(1);
    }
    await hooks.harness.drainEvents();
    const first = await show(path);
    expect(first.split("/attempts/dlv_")).toHaveLength(51);
    const older = /href="([^"]*before=[^"]*)#attempts"/.exec(first)?.[1] ?? "";
    expect((await show(older)).split("/attempts/dlv_")).toHaveLength(6);
  });

  test("is deleted after a question", async () => {
    expect(await show(`${path}/delete`)).toContain("Delete this webhook?");
    expect((await browser.post(`${path}/delete`)).location).toBe("/app/webhooks?done=deleted");
    expect((await browser.get(path)).status).toBe(404);
  });

  test("offers members whose posts need approval only what they may do", async () => {
    const { teamId } = hooks.member;
    await env.DB.batch([
      env.DB.prepare("UPDATE teams SET requires_approval = 1 WHERE id = ?").bind(teamId),
      env.DB.prepare("UPDATE members SET role = 'MEMBER' WHERE team_id = ?").bind(teamId),
    ]);
    const html = await show(path);
    const offered = ["test", "switch", "rotate", "replay-failed", "delete"];
    expect(offered.filter((name) => html.includes(`"${path}/${name}`))).toEqual(["test"]);
  });

  test("of another team is not found", async () => {
    const other = await Hooks.open();
    const stranger = await new Browser(other.harness).signIn(other.member);
    expect((await stranger.get(path)).status).toBe(404);
    expect((await stranger.post(`${path}/replay-failed`, { hours: "1" })).status).toBe(404);
  });
});

test("six languages check a signature", async () => {
  const html = await show("/app/webhooks/signature");
  for (const name of ["TypeScript", "Python", "Go", "PHP", "Ruby", "Java"]) {
    expect(html).toContain(`>${name}</h2>`);
  }
  expect(html).toContain("hash_equals");
});
