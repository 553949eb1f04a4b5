import { beforeEach, expect, test } from "vitest";
import { DEFAULT_PLANS } from "../../../src/core/plans.ts";
import { harnessWith } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { Browser } from "../../support/person.ts";
import { type AccountStage, mp4, openAccount, photo } from "../../support/stage.ts";

const LIST = "/app/media";
const HOSTILE = `"><script>alert(1)</script>.png`;

let stage: AccountStage;
let browser: Browser;

async function open(keptBytes: number | null = null): Promise<void> {
  const { plans } = DEFAULT_PLANS;
  const owner = { ...plans.owner, keptBytes };
  const harness = harnessWith({ plans: { ...DEFAULT_PLANS, plans: { ...plans, owner } } });
  stage = await openAccount("bluesky", undefined, harness);
  browser = await new Browser(harness).signIn(stage.member);
}
beforeEach(() => open());

const add = async (fields: Record<string, string | Blob> = {}) => {
  const { location, status, html } = await browser.post(LIST, { file: photo(), ...fields });
  if (status !== 303) throw new Error(html);
  return (location ?? "").replace("?done=added", "");
};

test("a form adds a file, its page shows it, and the list has it", async () => {
  const empty = await browser.get(LIST);
  expect(empty.html).toContain("There are no files yet. Add one above");
  const path = await add({ name: HOSTILE, keep: "true" });
  const page = await browser.get(`${path}?done=added`);
  const mediaId = path.replace(`${LIST}/`, "");
  expect(page.html).toContain("The file is stored.");
  expect(page.html).toContain(`<pre class="address">${mediaId}</pre>`);
  expect(page.html).toContain("&lt;/script&gt;.png");
  expect(page.html).not.toContain("<script>alert");
  expect(page.html).toContain("kept until you remove it");
  expect(page.html).toContain("No post has this file now.");
  const list = await browser.get(LIST);
  expect(list.html).toContain("1 file");
  expect((await browser.get(`${LIST}?kept=false`)).html).toContain("No file matches.");
  expect(list.html).toContain(`href="/app/compose?mediaId=${mediaId}"`);
  expect(list.html).toMatch(/<img src="\/media\/\d+\/[0-9a-f]{64}\/thumbnail\?/);
  expect(list.html).toMatch(/Kept: 1\d\d B\. They cost the\s+instance about \$0\.00 a month/);
});

test("each page is read in one round trip, and its media may play", async () => {
  const path = await add({ file: mp4() });
  for (const one of [LIST, path]) {
    const { result, costs } = await measure(stage.harness, () => browser.get(one));
    expect(result.status).toBe(200);
    expect(costs.roundTrips).toHaveLength(1);
    expect(costs.rowsWritten).toBe(0);
  }
  const { html, headers } = await browser.get(path);
  expect(html).toContain("<video");
  expect(headers.get("content-security-policy")).toContain("media-src 'self'");
});

test("forms rename, keep, stop keeping and remove", async () => {
  const path = await add();
  const renamed = await browser.post(path, { name: "Beach.png" });
  expect(renamed).toMatchObject({ status: 303, location: `${path}?done=renamed` });
  const back = `${LIST}?kind=image`;
  const kept = await browser.post(`${path}/keep`, { keep: "true", back });
  expect(kept.location).toBe(`${back}&done=kept`);
  expect((await browser.get(`${LIST}?kept=true&search=beach`)).html).toContain("Beach.png");
  const elsewhere = await browser.post(`${path}/keep`, { keep: "false", back: "//evil.example" });
  expect(elsewhere.location).toBe(`${path}?done=not-kept`);
  expect((await browser.get(path)).html).toMatch(/stays until <time datetime="2026-12-02T09:00/);
  expect(await browser.post(`${path}/remove`)).toMatchObject({ location: `${LIST}?done=removed` });
  expect((await browser.get(path)).status).toBe(404);
});

test("a file that a post needs is not removed, and its page names the post", async () => {
  const path = await add();
  const id = await stage.post({ mediaId: path.replace(`${LIST}/`, ""), status: "draft" });
  const refused = await browser.post(`${path}/remove`);
  expect(refused.status).toBe(409);
  expect(refused.html).toContain(`The file is still needed by post ${id}.`);
  expect(refused.html).toContain(`href="/app/uploads/${id}"`);
  expect((await browser.get(LIST)).html).toContain("In 1 post");
});

test("what is refused is said above the form", async () => {
  await open(150);
  const text = new File(["Not a picture"], "picture.png", { type: "image/png" });
  const wrong = await browser.post(LIST, { file: text });
  expect(wrong.status).toBe(400);
  expect(wrong.html).toMatch(/role="alert">The file is not an image, video or document/);
  await add({ keep: "true" });
  const path = await add();
  const full = await browser.post(`${path}/keep`, { keep: "true" });
  expect(full.status).toBe(409);
  expect(full.html).toContain("of the 150 B that its plan includes");
});

test("a refused name stays in its field, with the reason beside it", async () => {
  const path = await add();
  const { status, html } = await browser.post(path, { name: "\u0007" });
  expect(status).toBe(400);
  expect(html).toMatch(/<input id="name"[^>]*aria-invalid="true" aria-describedby="name-error"/);
  expect(html).toMatch(/id="name-error"[^>]*>Must have at least one visible character\./);
});

test("filters that are none are said, and pages lead on", async () => {
  for (const query of ["?kind=sound", "?kept=maybe", "?page=0", `?search=${"x".repeat(300)}`]) {
    const page = await browser.get(LIST + query);
    expect([query, page.status]).toEqual([query, 200]);
    expect(page.html).toContain("All files are shown");
  }
  expect((await browser.get(`${LIST}?search=nothing`)).html).toContain("No file matches.");
  for (let i = 0; i < 25; i++) await add({ name: `file ${i}` });
  const first = await browser.get(`${LIST}?search=file`);
  expect(first.html).toContain(`href="/app/media?search=file&amp;page=2"`);
  expect((await browser.get(`${LIST}?page=2`)).html).toContain("Page 2 of 2");
  expect((await browser.get(`${LIST}?page=9`)).html).toContain("The list ends before this page.");
});
