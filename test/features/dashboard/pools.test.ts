import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { measure } from "../../support/meter.ts";
import { Browser } from "../../support/person.ts";
import { PoolTeam } from "../../support/pools.ts";
import { mp4, photo } from "../../support/stage.ts";

const LIST = "/app/pools";
const HOSTILE = `"><script>alert(1)</script>`;

let team: PoolTeam;
let browser: Browser;

beforeEach(async () => {
  team = await PoolTeam.make();
  browser = await new Browser(team.harness).signIn(team.member);
});

/** The text of a page without its marks. */
const wordsOf = (html: string): string =>
  html
    .replace(/<(style|script)[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

const queue = (html: string): string[] =>
  [...html.matchAll(/<li class="item[^>]*id="item-(\d+)"/g)].map(([, id = ""]) => id);

const add = async (id: string, fields: Parameters<PoolTeam["add"]>[1]) =>
  String((await team.add(id, { photo: photo(), ...fields })).body.items[0].id);

describe("the list", () => {
  test("says in words what each pool has, and pools are made by its form", async () => {
    expect((await browser.get(LIST)).html).toContain("There is no pool yet.");
    const made = await browser.post(LIST, { name: HOSTILE, timezone: "Europe/Berlin" });
    expect(made).toMatchObject({ status: 303, location: expect.stringMatching(/\?done=made$/) });
    const { id } = await team.pool();
    await add(id, {});
    await team.pool({ isActive: false });
    const { html } = await browser.get(LIST);
    expect(html).not.toContain("<script>alert");
    const words = wordsOf(html);
    expect(words).toContain("No slots: nothing goes out until you add one.");
    expect(words).toContain("1 item queued · 1 slot · UTC");
    expect(words).toContain("Lasts until about 1 December. Next at Tue, 1 Dec 2026, 09:30 UTC");
    expect(words).toContain("Switched off: nothing goes out.");
  });

  test("a refused pool stays in its form, with the reason at the field", async () => {
    const { status, html } = await browser.post(LIST, { name: "Tips", timezone: "Mars/Base" });
    expect(status).toBe(400);
    expect(html).toMatch(/<input id="name"[^>]*value="Tips"/);
    expect(html).toMatch(/<input id="timezone"[^>]*aria-describedby="timezone-error"/);
    expect(html).toMatch(/id="timezone-error" role="alert">Must be/);
    const long = await browser.post(LIST, { name: "x".repeat(201), timezone: "UTC" });
    expect(long.html).toContain('id="name-error" role="alert">May have at most 200 characters');
  });
});

test("each page is read in one round trip, and one of another team is refused", async () => {
  const { id } = await team.pool();
  await add(id, { repeat: '{"every":{"days":2},"times":3}' });
  for (const path of [LIST, `${LIST}/${id}`]) {
    const { result, costs } = await measure(team.harness, () => browser.get(path));
    expect(result.status).toBe(200);
    expect(costs.roundTrips).toHaveLength(1);
    expect(costs.rowsWritten).toBe(0);
  }
  const other = await (await PoolTeam.make(team.harness)).pool();
  expect((await browser.get(`${LIST}/${other.id}`)).status).toBe(403);
  expect((await browser.get(`${LIST}/999999`)).status).toBe(404);
});

test("a pool is renamed, moved to another zone, switched off and on, and deleted", async () => {
  const { id } = await team.pool();
  const path = `${LIST}/${id}`;
  const fields = { name: "Facts", timezone: "Asia/Tokyo" };
  expect((await browser.post(path, fields)).location).toBe(`${path}?done=saved`);
  expect((await browser.post(`${path}/switch`, { on: "false" })).location).toBe(`${path}?done=off`);
  const off = await team.send("GET", `/pools/${id}`);
  expect(off.pool).toMatchObject({ ...fields, isActive: false });
  expect(wordsOf((await browser.get(path)).html)).toContain("Asia/Tokyo (UTC+09:00)");
  await browser.post(`${path}/switch`, { on: "true" });
  expect((await team.send("GET", `/pools/${id}`)).pool.isActive).toBe(true);
  expect((await browser.get(path)).html).toContain("every waiting item are removed");
  expect((await browser.post(`${path}/delete`)).location).toBe(`${LIST}?done=deleted`);
  expect((await browser.get(path)).status).toBe(404);
});

describe("slots", () => {
  test("are added, shown as a week, changed and removed", async () => {
    const { id } = await team.pool({ slots: [] });
    const path = `${LIST}/${id}`;
    const slot = { time: "08:15", days: ["1", "2", "3", "5"], accountIds: [team.accountId] };
    const made = await browser.post(`${path}/slots`, slot);
    expect(made.location).toMatch(/\?done=slot#slot-\d+$/);
    const slotId = made.location?.split("-").at(-1);
    const { html } = await browser.get(path);
    expect(wordsOf(html)).toContain("08:15 Mon–Wed, Fri Ada");
    expect(html.match(/<td class="on">/g)).toHaveLength(4);
    expect(html).toMatch(/<td class="on"><span>Ada[^<]* \([A-Z]\w+\)<\/span>/);
    const form = (await browser.get(`${path}?slot=${slotId}`)).html;
    expect(form).toMatch(
      /<input id="slot-\d+-time" name="time" type="time" required="" value="08:15"/,
    );
    await browser.post(`${path}/slots/${slotId}`, { ...slot, time: "20:00:00", days: "0" });
    const [changed] = (await team.send("GET", `/pools/${id}`)).pool.slots;
    expect(changed).toMatchObject({ time: "20:00", days: [0] });
    expect((await browser.post(`${path}/slots/${slotId}/remove`)).status).toBe(303);
    expect((await browser.get(path)).html).toContain("There is no slot yet, so nothing goes out.");
  });

  test.each([
    ["no day", { days: [] as string[] }, "Choose one day at least."],
    ["no account", { accountIds: [] as string[] }, "Choose one account at least."],
    ["no time", { time: "late" }, "Write a time of day such as 09:30."],
  ])("with %s come back with what was chosen", async (_, fields, message) => {
    const { id } = await team.pool({ slots: [] });
    const slot = { time: "08:15", days: ["6"], accountIds: [team.accountId], ...fields };
    const { status, html } = await browser.post(`${LIST}/${id}/slots`, slot);
    expect(status).toBe(400);
    expect(html).toContain(`role="alert">${message}`);
    if (slot.days.length > 0) expect(html).toMatch(/name="days" value="6" checked/);
    expect(html).not.toMatch(/name="days" value="1" checked/);
  });
});

describe("items", () => {
  test("are added by a form with files, and shown with their pictures and settings", async () => {
    const { id } = await team.pool();
    const path = `${LIST}/${id}`;
    const fields = {
      ...{ title: HOSTILE, description: "Look", photo: photo(), first_comment: "Why?" },
      ...{ repeat_days: "30", repeat_times: "6", variants: "One\n---\nTwo\nlines", video_url: "" },
    };
    const made = await browser.post(`${path}/items`, { ...fields, video: new File([], "") });
    expect([made.status, made.location]).toEqual([303, `${path}?done=added#queue-title`]);
    const { html } = await browser.get(path);
    expect(html).not.toContain("<script>alert");
    expect(html).toMatch(/<img class="thumb" src="\/media\/\d+\/[0-9a-f]{64}\/thumbnail\?/);
    expect(wordsOf(html)).toContain(
      "1 photo · repeats every 30 days, went out 0 of 6 times · 2 other texts · first comment",
    );
    const [item] = await team.items(id);
    expect(item).toMatchObject({ description: "Look", variants: ["One", "Two\nlines"] });
    const video = await browser.post(`${path}/items`, { title: "A film", video: mp4() });
    expect(video.status).toBe(303);
    const named = { title: "From afar", video_url: "https://example.com/a.mp4" };
    expect(
      (await browser.post(`${path}/items`, { ...named, photo: new File([], "") })).status,
    ).toBe(303);
    expect(wordsOf((await browser.get(path)).html)).toContain("Queue: 3 items");
  });

  test.each([
    ["no file", {}, /id="photo-error"[^>]*>Send a video or photos\./],
    ["no title", { title: " ", photo: photo() }, /id="item-new-title-error"[^>]*>Is required\./],
    [
      "a wrong repeat",
      { photo: photo(), repeat_days: "often", repeat_times: "3" },
      /id="item-new-repeat_days-error"[^>]*>Must be a whole number/,
    ],
    [
      "texts alone",
      { photo: photo(), variants: "One" },
      /id="item-new-variants-error"[^>]*>Say above how often the item goes out too\./,
    ],
  ])("with %s are refused at the field, and what was written stays", async (_, sent, message) => {
    const { id } = await team.pool();
    const fields = { title: "A tip", description: "Long words", ...sent };
    const body = { ...fields, video: new File([], "") };
    const { status, html } = await browser.post(`${LIST}/${id}/items`, body);
    expect(status).toBe(400);
    expect(html).toMatch(message);
    expect(html).toMatch(/<textarea id="item-new-description"[^>]*>Long words<\/textarea>/);
    expect(await team.items(id)).toEqual([]);
  });

  test("are changed and removed, and the queue is cleared", async () => {
    const { id } = await team.pool();
    const path = `${LIST}/${id}`;
    const [one, two] = [await add(id, { title: "One" }), await add(id, { title: "Two" })];
    const open = (await browser.get(`${path}?item=${one}`)).html;
    expect(open).toMatch(/<input id="item-\d+-title"[^>]*value="One"/);
    const change = { title: "First", description: "", repeat_days: "7", repeat_times: "2" };
    const changed = await browser.post(`${path}/items/${one}`, change);
    expect(changed.location).toBe(`${path}?done=changed#item-${one}`);
    expect((await team.items(id))[0]).toMatchObject({
      title: "First",
      repeat: { every: { days: 7 }, times: 2 },
    });
    const lines = { ...change, description: "A\r\nB", first_comment: "C\r\nD" };
    await browser.post(`${path}/items/${one}`, { ...lines, variants: "E\r\nF\r\n---\r\nG" });
    expect((await team.items(id))[0]).toMatchObject({
      description: "A\nB",
      variants: ["E\nF", "G"],
    });
    const refused = await browser.post(`${path}/items/${one}`, { ...change, title: "" });
    expect(refused.status).toBe(400);
    expect(refused.html).toMatch(/id="item-\d+-title-error"[^>]*>Must not be empty/);
    expect((await browser.post(`${path}/items/${two}/remove`)).status).toBe(303);
    expect(queue((await browser.get(path)).html)).toEqual([one]);
    expect((await browser.post(`${path}/items/clear`)).location).toContain("done=cleared");
    expect((await browser.get(path)).html).toContain("Nothing is queued. Add pictures");
  });

  test("beyond the first page are changed there, and a refused form comes back open", async () => {
    const { id } = await team.pool();
    const video = { videoUrl: "https://example.com/a.mp4" };
    const items = Array.from({ length: 51 }, (_, i) => ({ title: `Number ${i}`, ...video }));
    await team.send("POST", `/pools/${id}/videos/bulk`, { items: items.slice(1) });
    await team.send("POST", `/pools/${id}/videos/bulk`, { items: items.slice(0, 1) });
    const last = (await browser.get(`${LIST}/${id}?from=50`)).html;
    const [item = ""] = queue(last);
    const { html } = await browser.get(`${LIST}/${id}?from=50&item=${item}`);
    const form = html.slice(html.indexOf(`id="item-${item}"`));
    const actions = [...form.matchAll(/action="([^"?]+)\?([^"]+)"/g)];
    for (const name of ["", "/move", "/remove"]) {
      const path = `${LIST}/${id}/items/${item}${name}`;
      expect(actions.find(([, action]) => action === path)?.[2]).toMatch(/^from=50&/);
    }
    const path = `${LIST}/${id}/items/${item}?from=50`;
    const refused = await browser.post(path, { title: "", description: "Long words" });
    expect(refused.status).toBe(400);
    expect(refused.html).toContain(">Long words</textarea>");
    const changed = await browser.post(path, { title: "Last" });
    expect(changed.location).toBe(`${LIST}/${id}?done=changed&from=50#item-${item}`);
  });

  test("that are moved by buttons and by the API go out in that order", async () => {
    const { id } = await team.pool();
    const path = `${LIST}/${id}`;
    const ids: string[] = [];
    for (const title of ["A", "B", "C", "D"]) ids.push(await add(id, { title }));
    const [a = "", b = "", c = "", d = ""] = ids;
    const shown = async () => queue((await browser.get(path)).html);
    const step = (item: string, to: string) => browser.post(`${path}/items/${item}/move`, { to });
    expect((await step(d, "first")).location).toBe(`${path}?done=moved#item-${d}`);
    expect(await shown()).toEqual([d, a, b, c]);
    await step(a, "down");
    expect(await shown()).toEqual([d, b, a, c]);
    await step(c, "up");
    expect(await shown()).toEqual([d, b, c, a]);
    await step(d, "up");
    expect(await shown()).toEqual([d, b, c, a]);
    await team.send("POST", `/pools/${id}/videos/${a}/move`, { before: Number(b) });
    await team.send("POST", `/pools/${id}/videos/${d}/move`, { before: null });
    expect(await shown()).toEqual([a, b, c, d]);
    await step(c, "first");
    const late = await add(id, { title: "E" });
    expect(await shown()).toEqual([c, a, b, d, late]);
    const { firings } = await team.send("GET", `/pools/${id}/preview?days=5`);
    expect(firings.map(({ item }: { item: { title: string } }) => item.title)).toEqual([
      ...["C", "A", "B", "D", "E"],
    ]);
    expect((await step(a, "sideways")).status).toBe(400);
    const gone = await team.call("POST", `/pools/${id}/videos/${a}/move`, { before: 999_999 });
    expect([gone.status, gone.body.code]).toEqual([404, "NOT_FOUND"]);
  });
});

describe("a table of videos", () => {
  const rows = (text: string) => ({ rows: text, file: new File([], "") });

  test("adds each row, from a file or from what is pasted", async () => {
    const { id } = await team.pool();
    const text =
      'title,videoUrl,description,metadata\r\n"One, two",https://example.com/a.mp4,"Two\r\nlines ""quoted""","{""is_aigc"":true}"\r\nThree,https://example.com/b.mp4,,\r\n';
    const file = new File([text], "tips.csv", { type: "text/csv" });
    const sent = await browser.post(`${LIST}/${id}/csv`, { rows: "", file });
    expect(sent.status).toBe(303);
    const pasted = "\uFEFFTitle;videourl\nFour;https://example.com/c.mp4\n";
    expect((await browser.post(`${LIST}/${id}/csv`, rows(pasted))).status).toBe(303);
    expect(await team.items(id)).toMatchObject([
      { title: "One, two", description: 'Two\nlines "quoted"' },
      { title: "Three", description: null },
      { title: "Four" },
    ]);
    expect(wordsOf((await browser.get(`${LIST}/${id}`)).html)).toContain("1 setting of a platform");
  });

  test.each([
    ["no columns", "One,https://example.com/a.mp4", "The first row must name the columns"],
    ["no rows", "title,videoUrl\n", "There is no row below"],
    ["a doubled column", "title,title,videoUrl\nOne,Two,https://example.com/a.mp4", "each once"],
    [
      "a comma without quotes",
      "title,videoUrl,description\nOne,https://example.com/a.mp4,Two, three",
      "Row 2 has more cells than the first row.",
    ],
    ["an open quote", 'title,videoUrl\n"One,x', "A quotation mark does not end"],
    [
      "a missing address",
      "title,videoUrl\nOne,https://example.com/a.mp4\nTwo,",
      "Row 3, videoUrl: ",
    ],
    ["a foreign address", "title,videoUrl\nOne,ftp://example.com", "Row 2, videoUrl: "],
    [
      "an unknown option",
      'title,videoUrl,metadata\nOne,https://example.com/a.mp4,"{""color"":1}"',
      "Row 2, metadata.color: ",
    ],
    [
      "51 rows",
      `title,videoUrl\n${"One,https://example.com/a.mp4\n".repeat(51)}`,
      "A table may have up to 50 rows.",
    ],
  ])("with %s is refused by row, and stays in its field", async (_, text, message) => {
    const { id } = await team.pool();
    const { status, html } = await browser.post(`${LIST}/${id}/csv`, rows(text));
    expect(status).toBe(400);
    expect(wordsOf(html)).toContain(message);
    const escaped = text.trim().replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    expect(html).toContain(`>${escaped}</textarea>`);
    expect(await team.items(id)).toEqual([]);
  });
});

test("the next 14 days name each item, and mark the change of clocks", async () => {
  team.harness.advance((Date.UTC(2027, 2, 20) - Date.UTC(2026, 11, 1, 9)) / 1_000);
  browser = await new Browser(team.harness).signIn(team.member);
  const slots = [team.slot({ time: "02:30" })];
  const { id } = await team.pool({ timezone: "Europe/Berlin", slots });
  for (let i = 1; i < 10; i++) await add(id, { title: `Number ${i}` });
  const words = wordsOf((await browser.get(`${LIST}/${id}`)).html);
  expect(words).toContain("The clocks go forward on Sunday 28 March, from 02:00 to 03:00.");
  expect(words).toContain("The clocks change: 02:30 does not exist, so it goes at 03:00.");
  expect(words).toMatch(/Saturday 20 March 02:30 Number 1 /);
  expect(words).toContain(
    "This slot finds nothing to publish The 4 slots after it find nothing either, until you add more.",
  );
  expect(words).toContain("Lasts until about 28 March.");
});

test("past slots say what they did, with links to the posts, and why nothing came", async () => {
  const { id } = await team.pool({
    slots: [team.slot({ time: "09:30" }), team.slot({ time: "09:32" })],
  });
  await add(id, { title: "Goes out" });
  await team.runUntil("2026-12-01T09:40:00Z");
  const { html } = await browser.get(`${LIST}/${id}`);
  expect(html).toMatch(/href="\/app\/uploads\/\d+">Post \d+/);
  const words = wordsOf(html);
  expect(words).toContain("Goes out");
  expect(words).toContain("The queue is empty.");
});

test("members whose posts need approval see pools, but no form", async () => {
  const { id } = await team.pool();
  await env.DB.batch([
    env.DB.prepare("UPDATE teams SET requires_approval = 1 WHERE id = ?").bind(team.member.teamId),
    env.DB.prepare("UPDATE members SET role = 'MEMBER' WHERE team_id = ?").bind(team.member.teamId),
  ]);
  for (const path of [LIST, `${LIST}/${id}`]) {
    const { html } = await browser.get(path);
    expect(html).toContain("only the owner and admins change pools");
    expect(html).not.toContain('action="/app/pools');
  }
  const refused = await browser.post(`${LIST}/${id}/switch`, { on: "false" });
  expect(refused.status).toBe(403);
});
