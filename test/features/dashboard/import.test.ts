import { beforeEach, expect, test } from "vitest";
import { connectSandbox, createMember, Harness, type Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

let harness: Harness;
let member: Member;
let browser: Browser;
let account: string;

beforeEach(async () => {
  harness = new Harness();
  member = await createMember();
  account = await connectSandbox(harness, member);
  browser = await new Browser(harness).signIn(member);
});

const posts = async (): Promise<number> =>
  (await harness.call("GET", "/upload", { token: member.token })).body.pagination.total;

test("a sheet is shown first, and made when the person says so", async () => {
  const text = `account,description,scheduledFor\n${account},"Hello, all",2026-12-24 18:00\n${account},,\n`;
  const preview = await browser.post("/app/import", { text, timezone: "Europe/Berlin" });
  expect(preview.status).toBe(200);
  expect(preview.html).toContain("1 post can be made. Nothing is made yet. 1 row cannot be posted");
  expect(preview.html).toContain("in the time of Europe/Berlin");
  expect(await posts()).toBe(0);
  const fields = { text, timezone: "Europe/Berlin", step: "import" };
  const made = await browser.post("/app/import", fields);
  expect(made.html).toContain("1 post made. 1 row cannot be posted");
  const again = await browser.post("/app/import", fields);
  expect(again.html).toContain("0 posts made. 1 post of this sheet is here already.");
  expect(await posts()).toBe(1);
});

test("columns that are not known are mapped on the page", async () => {
  const text = "Inhalt;Termin\nHallo zusammen;24.12.2026 18:00\n";
  const unknown = await browser.post("/app/import", { text });
  expect(unknown.status).toBe(400);
  expect(unknown.html).toContain('<option value="Termin">');
  const fields = { text, account, "column-description": "Inhalt", "column-scheduledFor": "Termin" };
  const preview = await browser.post("/app/import", fields);
  expect(preview.html).toContain("1 post can be made.");
});

test("what cannot be read is refused, and keeps what was sent", async () => {
  const page = await browser.post("/app/import", {
    text: "description\nHello",
    timezone: "Mars/Base",
  });
  expect(page.status).toBe(400);
  expect(page.html).toContain("must be an IANA time zone");
  expect(page.html).toContain('value="Mars/Base"');
  const quote = await browser.post("/app/import", { text: 'description\n"Hello' });
  expect(quote.html).toContain("quotation mark does not end");
});

test("a sheet whose time zone was refused is still recognised when it is checked again", async () => {
  const text = `post,platforms,scheduleDate\nHello from a sheet,bluesky,2026-12-24T18:00\n`;
  const refused = await browser.post("/app/import", { text, timezone: "Berlin" });
  expect(refused.status).toBe(400);
  const empty = { "column-caption": "", "column-account": "", "column-scheduledFor": "" };
  const again = await browser.post("/app/import", { text, timezone: "Europe/Berlin", ...empty });
  expect(again.html).toContain("1 post can be made");
  const without = { text, timezone: "", ...empty, recognised: "1", "column-account": "platforms" };
  expect((await browser.post("/app/import", without)).status).toBe(400);
});

test("a row without a date is shown as one that goes out at once", async () => {
  const { html } = await browser.post("/app/import", {
    text: `account,description\n${account},Hello\n`,
  });
  expect(html).toContain("Goes out at once");
  expect(html).toContain("The row has no date: the post goes out at once.");
});
