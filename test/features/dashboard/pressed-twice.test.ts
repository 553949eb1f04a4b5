import { beforeEach, describe, expect, test } from "vitest";
import { Browser, formsOf, type Page } from "../../support/person.ts";
import { PoolTeam } from "../../support/pools.ts";
import { photo } from "../../support/stage.ts";

let team: PoolTeam;
let browser: Browser;
let poolId: string;

beforeEach(async () => {
  team = await PoolTeam.make();
  browser = await new Browser(team.harness).signIn(team.member);
  ({ id: poolId } = await team.pool({ slots: [] }));
});

type Fields = Parameters<Browser["post"]>[1];

interface MakingForm {
  what: string;
  page: () => string;
  /** Path of the form. */
  path: () => string;
  fields: () => NonNullable<Fields>;
  /** Other fields, with which it is another thing; null for a form without fields. */
  others: (() => NonNullable<Fields>) | null;
  made: () => Promise<unknown[]>;
  /** Action of the line in the activity. */
  line: string;
}

const PICTURE = photo();
const poolPath = () => `/app/pools/${poolId}`;
const slot = (time: string) => ({ time, days: ["1"], accountIds: [team.accountId] });
const rows = (title: string) => ({
  rows: `title,videoUrl\n${title} 1,https://example.com/1.mp4\n${title} 2,https://example.com/2.mp4`,
});
const connection = (title: string) => ({
  platform: "bluesky/sandbox",
  title,
  expiresInHours: "24",
});
const listed = async (path: string, name = "data") => {
  const { status, body } = await team.call("GET", path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body[name];
};

const FORMS: MakingForm[] = [
  {
    what: "Add the item",
    page: poolPath,
    path: () => `${poolPath()}/items`,
    fields: () => ({ title: "One", photo: PICTURE }),
    others: () => ({ title: "Another", photo: PICTURE }),
    made: () => team.items(poolId),
    line: "pool.item_added",
  },
  {
    what: "Add the slot",
    page: poolPath,
    path: () => `${poolPath()}/slots`,
    fields: () => slot("09:30"),
    others: () => slot("10:30"),
    made: async () => (await team.send("GET", `/pools/${poolId}`)).pool.slots,
    line: "pool.slot_added",
  },
  {
    what: "Make the pool",
    page: () => "/app/pools",
    path: () => "/app/pools",
    fields: () => ({ name: "Made", timezone: "UTC" }),
    others: () => ({ name: "Made too", timezone: "UTC" }),
    made: async () =>
      (await listed("/pools", "pools")).filter(({ name }: { name: string }) =>
        name.startsWith("Made"),
      ),
    line: "pool.created",
  },
  {
    what: "Make the link (short)",
    page: () => "/app/short-links",
    path: () => "/app/short-links",
    fields: () => ({ url: "https://example.com/a" }),
    others: () => ({ url: "https://example.com/b" }),
    made: () => listed("/short-links"),
    line: "link.created",
  },
  {
    what: "Make the link (report)",
    page: () => "/app/analytics",
    path: () => "/app/analytics/reports",
    fields: () => ({ title: "November", lastDay: "", expiresInDays: "7" }),
    others: () => ({ title: "December", lastDay: "", expiresInDays: "7" }),
    made: () => listed("/reports"),
    line: "report.created",
  },
  {
    what: "Make the webhook",
    page: () => "/app/webhooks",
    path: () => "/app/webhooks",
    fields: () => ({ url: "https://example.com/a", events: "upload.failed" }),
    others: () => ({ url: "https://example.com/b", events: "upload.failed" }),
    made: () => listed("/webhooks"),
    line: "webhook.created",
  },
  {
    what: "Make an address (calendar)",
    page: () => "/app/calendar",
    path: () => "/app/calendar/feeds",
    fields: () => ({}),
    others: null,
    made: () => listed("/calendar/feeds"),
    line: "calendar_feed.created",
  },
  {
    what: "Make the page (connection)",
    page: () => "/app/connection-pages",
    path: () => "/app/connection-pages",
    fields: () => connection("A client"),
    others: () => connection("Another client"),
    made: () => listed("/whitelabel/links"),
    line: "connection_page.created",
  },
  {
    what: "Send (suggestion)",
    page: () => "/app/suggestions",
    path: () => "/app/suggestions",
    fields: () => ({ title: "An idea" }),
    others: () => ({ title: "Another" }),
    made: () => listed("/suggestions"),
    line: "suggestion.created",
  },
  {
    what: "Register the app",
    page: () => "/app/settings/apps",
    path: () => "/app/settings/apps",
    fields: () => ({ name: "App", redirectUris: "https://app.example/a", kind: "secret" }),
    others: () => ({ name: "App", redirectUris: "https://app.example/b", kind: "secret" }),
    made: async () => {
      const { html } = await browser.get("/app/settings/apps");
      return html.match(/\/app\/settings\/apps\/kmx_[0-9a-f]{32}"/g) ?? [];
    },
    line: "app.registered",
  },
];

const actionOf = async ({ page, path }: MakingForm): Promise<string> => {
  const { html } = await browser.get(page());
  const action = formsOf(html).find((one) => one.split("?")[0] === path());
  if (action === undefined) throw new Error(`There is no form for ${path()}.`);
  return action;
};

const linesOf = async ({ line }: MakingForm): Promise<number> =>
  (await listed("/activity")).filter(({ action }: { action: string }) => action === line).length;

const secretIn = ({ html }: Page): string => /(?:whsec|kms)_[0-9a-f]+/.exec(html)?.[0] ?? "";

describe.each(FORMS)("$what", (form) => {
  test("pressed twice makes one, and both answers are of it", async () => {
    const before = await linesOf(form);
    const action = await actionOf(form);
    const [first, second] = await Promise.all([
      browser.sendForm(action, form.fields()),
      browser.sendForm(action, form.fields()),
    ]);
    expect(first.status, first.html).toBeLessThan(400);
    expect([second.status, second.location]).toEqual([first.status, first.location]);
    expect(secretIn(second)).toBe(secretIn(first));
    expect(await form.made()).toHaveLength(1);
    expect(await linesOf(form)).toBe(before + 1);
    const again = await browser.sendForm(action, form.fields());
    expect([again.status, again.location]).toEqual([first.status, first.location]);
    expect(await form.made()).toHaveLength(1);
  });

  test("on a page that is opened again makes another", async () => {
    await browser.sendForm(await actionOf(form), form.fields());
    const second = await browser.sendForm(await actionOf(form), form.fields());
    expect(second.status, second.html).toBeLessThan(400);
    expect(await form.made()).toHaveLength(2);
  });

  test.runIf(form.others)(
    "pressed again with something else is told, and makes it from the page that tells it",
    async () => {
      const action = await actionOf(form);
      await browser.sendForm(action, form.fields());
      const told = await browser.sendForm(action, form.others?.());
      expect(told.status).toBe(422);
      expect(told.html).toContain("This form was sent before, with something else in it");
      expect(await form.made()).toHaveLength(1);
      const next = formsOf(told.html).find((one) => one.split("?")[0] === form.path()) ?? "";
      const made = await browser.sendForm(next, form.others?.());
      expect(made.status, made.html).toBeLessThan(400);
      expect(await form.made()).toHaveLength(2);
    },
  );
});

test("a token's form that is sent twice makes one token, and the second answer says so", async () => {
  const { html } = await browser.get("/app/tokens");
  const action = formsOf(html).find((one) => one.startsWith("/app/tokens?")) ?? "";
  const fields = { name: "Script", scopes: "posts:read", team: "" };
  const before = (await listed("/tokens")).length;
  const answers = await Promise.all([
    browser.sendForm(action, fields),
    browser.sendForm(action, fields),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
  const second = answers.find(({ status }) => status === 422)?.html ?? "";
  expect(second).toContain("its token is made already");
  expect(second).not.toMatch(/kmb_[0-9a-f]{64}/);
  expect(await listed("/tokens")).toHaveLength(before + 1);
});

test("rows of a table that are sent twice are added once", async () => {
  const { html } = await browser.get(poolPath());
  const action = formsOf(html).find((one) => one.startsWith(`${poolPath()}/csv`)) ?? "";
  await Promise.all([browser.sendForm(action, rows("Tip")), browser.sendForm(action, rows("Tip"))]);
  expect(await team.items(poolId)).toHaveLength(2);
});
