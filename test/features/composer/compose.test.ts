import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { PLATFORMS } from "../../../src/core/platforms.ts";
import { FilledForm } from "../../support/filled-form.ts";
import {
  connectSandbox,
  createMember,
  Harness,
  joinTeam,
  type Member,
} from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { Browser, type Page } from "../../support/person.ts";
import { jpeg, photo } from "../../support/stage.ts";

async function enter(harness = new Harness()) {
  const member = await createMember();
  const browser = await new Browser(harness).signIn(member);
  return { harness, member, browser };
}

const formOf = ({ html }: Page) => new FilledForm(html, "compose");

const send = (browser: Browser, form: FilledForm, button = "send") =>
  browser.send(form.action, { method: "POST", body: form.press(button) });

const open = async (browser: Browser, query = "") =>
  formOf(await browser.get(`/app/compose${query}`));

const postsOf = async ({ teamId }: Member) => {
  const { results } = await env.DB.prepare(
    "SELECT * FROM uploads WHERE team_id = ? AND deleted_at IS NULL ORDER BY id",
  )
    .bind(teamId)
    .all();
  return results;
};

const summaryOf = ({ html }: Page): string =>
  (/id="summary"[\s\S]*?<\/ul>/.exec(html)?.[0] ?? "").replaceAll(/<[^>]*>/g, " ");

test("the page is read in one round trip, with every connected platform's settings", async () => {
  const { harness, member, browser } = await enter();
  for (const platform of ["tiktok", "youtube", "pinterest", "x"]) {
    await connectSandbox(harness, member, platform, platform);
  }
  const { result: page, costs } = await measure(harness, () => browser.get("/app/compose"));
  expect(page.status).toBe(200);
  expect(costs.roundTrips).toHaveLength(1);
  for (const name of ["x_reply_settings", "selfDeclaredMadeForKids", "categoryId"]) {
    expect(page.html).toContain(`name="${name}"`);
  }
  expect(page.html).not.toContain("threads_reply_control");
});

test("without script: from an empty form to a published thread with a picture", async () => {
  const { harness, member, browser } = await enter();
  const bluesky = await connectSandbox(harness, member, "Blue", "bluesky");
  const facebook = await connectSandbox(harness, member, "Face", "facebook");
  const first = (await open(browser)).set("accountId", bluesky, facebook).set("photo", photo());
  const more = formOf(await send(browser, first, "add-part"));
  expect(more.all("mediaId")).toHaveLength(1);
  expect(more.all("accountId")).toEqual([bluesky, facebook]);
  more.set("description", "The text").set("thread", "The second post").set("altText", "A door");
  more.set("first_comment", "A comment");
  const preview = await send(browser, more, "preview");
  expect(preview.status).toBe(200);
  expect(preview.html).toContain("The second post");
  const sent = await send(browser, formOf(preview));
  expect(sent.status).toBe(303);
  expect((await browser.get(sent.location ?? "")).html).toContain("2 accounts have the post");
  await harness.drain();
  const posts = await postsOf(member);
  expect(posts.map(({ status }) => status)).toEqual(["completed", "completed"]);
  const parts = posts.map(({ parts }) =>
    JSON.parse(String(parts)).map((part: { text: string }) => part.text),
  );
  expect(parts).toEqual([["The second post", "A comment"], ["A comment"]]);
  expect(posts.map(({ media }) => JSON.parse(String(media))[0].altText)).toEqual([
    "A door",
    "A door",
  ]);
});

test("the form of all platforms, each with two accounts, is read whole", async () => {
  const { harness, member, browser } = await enter();
  for (const platform of PLATFORMS) {
    await connectSandbox(harness, member, "One", platform);
    await connectSandbox(harness, member, "Two", platform);
  }
  const form = await open(browser);
  const fields = [...form.press("add-part").keys()];
  expect(fields.length).toBeGreaterThan(150);
  const page = await send(browser, form.set("description", "Whole"), "add-part");
  expect(page.status).toBe(200);
  expect([...formOf(page).press("add-part").keys()]).toEqual(
    expect.arrayContaining(fields.filter((name) => name !== "do")),
  );
});

test("the text goes to every account, the title only where one is published", async () => {
  const { harness, member, browser } = await enter();
  const x = await connectSandbox(harness, member, "X", "x");
  const form = (await open(browser)).set("accountId", x);
  form
    .set("title", "For YouTube")
    .set("description", "For everybody")
    .set("overrides.x.first_comment", "Own");
  await send(browser, form);
  const [post] = await postsOf(member);
  expect([post?.title, post?.description]).toEqual(["For everybody", null]);
  expect(JSON.parse(String(post?.parts))).toMatchObject([{ kind: "comment", text: "Own" }]);
});

test("a refusal stands beside its field, everything is kept, and the others can be sent alone", async () => {
  const { harness, member, browser } = await enter();
  const x = await connectSandbox(harness, member, "Short", "x");
  const facebook = await connectSandbox(harness, member, "Long", "facebook");
  const text = "word ".repeat(80);
  const form = (await open(browser)).set("accountId", x, facebook).set("description", text);
  form.set("facebook.link", "https://example.com/a").set("photo", photo());
  const refused = await send(browser, form);
  expect(refused.status).toBe(400);
  expect(summaryOf(refused)).toMatch(/Short \d+ on X/);
  expect(refused.html).toMatch(/id="description-error"[^>]*>Short \d+ on X: /);
  expect(refused.html).toMatch(/id="description"[^>]*aria-invalid="true"/);
  expect(await postsOf(member)).toEqual([]);
  const again = formOf(refused);
  expect(again.all("description")).toEqual([text]);
  expect(again.all("facebook.link")).toEqual(["https://example.com/a"]);
  expect(again.all("mediaId")).toHaveLength(1);
  const sent = await send(browser, again, "send-accepted");
  expect(sent.status).toBe(200);
  expect(sent.html).toContain("Not taken");
  expect(await postsOf(member)).toMatchObject([{ platform: "facebook" }]);
  const draft = /href="(\/app\/compose\?draft=\d+)"/.exec(sent.html)?.[1] ?? "";
  const rest = formOf(await browser.get(draft));
  expect(rest.all("accountId")).toEqual([x]);
  expect(rest.all("description")).toEqual([text]);
});

test("posts that went out are shown as sent, also when the draft of the others finds no place", async () => {
  const { harness, member, browser } = await enter();
  const bluesky = await connectSandbox(harness, member, "Blue", "bluesky");
  const youtube = await connectSandbox(harness, member, "Tube", "youtube");
  const form = (await open(browser)).set("accountId", bluesky, youtube);
  form.set("description", "Out on one").set("selfDeclaredMadeForKids", "false");
  const refused = await send(browser, form);
  expect(refused.status).toBe(400);
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO drafts (team_id, created_by, content, updated_by, created_at, updated_at)
      SELECT ?1, ?2, '{}', ?2, 1, ?3 FROM n`,
  )
    .bind(member.teamId, member.userId, harness.deps.now().getTime())
    .run();
  const sent = await send(browser, formOf(refused), "send-accepted");
  expect(sent.html).toContain("1 account has the post");
  expect(await postsOf(member)).toHaveLength(1);
});

test.each([
  ["no account", "", {}, "accountId-error", "Choose an account"],
  ["no date", "bluesky", { when: "at" }, "date-error", "Choose the date"],
  [
    "a day that no month has",
    "bluesky",
    { when: "at", date: "2027-02-30", time: "10:00" },
    "date-error",
    "Choose the date",
  ],
  [
    "a date in the past",
    "bluesky",
    { when: "at", date: "2020-01-01", time: "10:00" },
    "date-error",
    "in the future",
  ],
  [
    "YouTube without an answer about kids",
    "youtube",
    {},
    "selfDeclaredMadeForKids-error",
    "made for kids",
  ],
])("%s is refused beside its control", async (_, platform, fields, place, words) => {
  const { harness, member, browser } = await enter();
  const id = await connectSandbox(harness, member, "Acme", platform || "x");
  const form = (await open(browser)).set("description", "A text");
  if (platform) form.set("accountId", id);
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  const { status, html } = await send(browser, form);
  expect(status).toBe(400);
  expect(new RegExp(`id="${place}"[^>]*>([^<]*)`).exec(html)?.[1]).toContain(words);
});

test("TikTok: the creator's own options without default, switches off, and commercial content said", async () => {
  const { harness, member, browser } = await enter();
  const id = await connectSandbox(harness, member, "Creator", "tiktok");
  const start = await browser.get("/app/compose");
  expect(start.html).toContain("ask TikTok first");
  const form = formOf(start).set("accountId", id).set("description", "A film").set("photo", jpeg());
  const refused = await send(browser, form);
  expect(refused.status).toBe(400);
  expect(refused.html).toContain("Choose who can see the post.");
  expect(refused.html).toMatch(/<option value="SELF_ONLY"/);
  expect(refused.html).toMatch(/Posts as <strong>Creator/);
  const chosen = formOf(refused).set(`${id}.privacy_level`, "PUBLIC_TO_EVERYONE");
  chosen.set(`${id}.discloses`, "true");
  const unsaid = await send(browser, chosen);
  expect(unsaid.html).toContain("promotes yourself, a third party, or both");
  const last = formOf(unsaid)
    .set(`${id}.brand_content_toggle`, "true")
    .set(`${id}.allow_comment`, "true");
  const sent = await send(browser, last);
  expect(sent.status, summaryOf(sent)).toBe(303);
  const [post] = await postsOf(member);
  expect(JSON.parse(String(post?.settings))).toMatchObject({
    privacy_level: "PUBLIC_TO_EVERYONE",
    disable_comment: false,
    disable_duet: true,
    disable_stitch: true,
    brand_content_toggle: true,
  });
});

test("Pinterest: boards come by their own question, and one is chosen for each account", async () => {
  const { harness, member, browser } = await enter();
  const id = await connectSandbox(harness, member, "Pins", "pinterest");
  const asked = await send(browser, (await open(browser)).set("accountId", id), "lookup");
  const board = new RegExp(`data-boards="${id}"[\\s\\S]*?<option value="(\\d+)"`).exec(
    asked.html,
  )?.[1];
  expect(board).toBeDefined();
  const form = formOf(asked)
    .set(`${id}.pinterest_board_id`, board ?? "")
    .set("description", "Pin");
  const sent = await send(browser, form.set("photo", photo()));
  expect(sent.status, summaryOf(sent)).toBe(303);
});

test("a double click posts once", async () => {
  const { harness, member, browser } = await enter();
  const id = await connectSandbox(harness, member);
  const form = (await open(browser)).set("accountId", id).set("description", "Once");
  const [one, two] = await Promise.all([send(browser, form), send(browser, form)]);
  expect([one?.status, two?.status]).toEqual([303, 303]);
  expect(one?.location).toBe(two?.location);
  expect((await send(browser, form)).location).toBe(one?.location);
  expect(await postsOf(member)).toHaveLength(1);
});

test("a draft is kept, found again with its files, and gone once it is sent", async () => {
  const { harness, member, browser } = await enter();
  const id = await connectSandbox(harness, member);
  const form = (await open(browser)).set("accountId", id).set("description", "Kept");
  form.set("photo", photo()).set("when", "at").set("date", "2026-12-24").set("time", "18:30");
  const saved = await send(browser, form, "save");
  expect(saved.status).toBe(303);
  const page = await browser.get(saved.location ?? "");
  const again = formOf(page);
  expect(again.all("description")).toEqual(["Kept"]);
  expect(again.all("mediaId")).toHaveLength(1);
  expect([again.all("date"), again.all("time")]).toEqual([["2026-12-24"], ["18:30"]]);
  expect(page.html).toContain("/thumbnail?");
  const sent = await send(browser, again);
  expect(sent.status, summaryOf(sent)).toBe(303);
  const [post] = await postsOf(member);
  expect(new Date(Number(post?.scheduled_for)).toISOString()).toBe("2026-12-24T18:30:00.000Z");
  expect((await browser.get(saved.location ?? "")).status).toBe(404);
  expect((await send(browser, again)).location).toBe(sent.location);
});

test("two people in one draft: the second is told, and may keep theirs as another draft", async () => {
  const { harness, member, browser } = await enter();
  const id = await connectSandbox(harness, member);
  const form = (await open(browser)).set("accountId", id).set("description", "First");
  const { location } = await send(browser, form, "save");
  const [mine, theirs] = [
    await open(browser, location?.slice("/app/compose".length)),
    await open(browser, location?.slice("/app/compose".length)),
  ];
  await send(browser, theirs.set("description", "Theirs"), "save");
  for (const button of ["save", "send"]) {
    const told = await send(browser, mine.set("description", "Mine"), button);
    expect(told.status).toBe(409);
    expect(summaryOf(told)).toContain("saved this draft at");
    expect(formOf(told).all("description")).toEqual(["Mine"]);
  }
  const told = await send(browser, mine, "save");
  const copy = await send(browser, formOf(told), "copy");
  expect(copy.location).not.toBe(location);
  expect((await open(browser, location?.slice("/app/compose".length))).all("description")).toEqual([
    "Theirs",
  ]);
  expect(await postsOf(member)).toEqual([]);
});

test("held for approval with a review link, whose address the next page shows", async () => {
  const { harness, member, browser } = await enter();
  const id = await connectSandbox(harness, member);
  const form = (await open(browser)).set("accountId", id).set("description", "For a client");
  const sent = await send(browser, form.set("when", "review"));
  const { html } = await browser.get(sent.location ?? "");
  expect(html).toMatch(/\/review\/[\w.-]+/);
  expect(await postsOf(member)).toMatchObject([{ status: "pending_approval" }]);
});

test("a member whose posts need approval is told so, and makes no review link", async () => {
  const { harness, member } = await enter();
  const id = await connectSandbox(harness, member);
  await env.DB.prepare("UPDATE teams SET requires_approval = 1 WHERE id = ?")
    .bind(member.teamId)
    .run();
  const other = await createMember();
  await joinTeam(member.teamId, other.userId, "MEMBER");
  const browser = (await new Browser(harness).signIn(other)).show(member.teamId);
  const page = await browser.get("/app/compose");
  expect(page.html).toContain("Your posts are held for approval");
  expect(page.html).not.toContain('value="review"');
  const sent = await send(browser, formOf(page).set("accountId", id).set("description", "Held"));
  expect((await browser.get(sent.location ?? "")).html).toContain("Held for approval");
  expect(await postsOf(member)).toMatchObject([{ status: "pending_approval" }]);
});

test("into the next free slot of a pool", async () => {
  const { harness, member, browser } = await enter();
  const id = await connectSandbox(harness, member);
  const { body } = await harness.call("POST", "/pools", {
    token: member.token,
    json: { name: "Evergreen", timezone: "UTC" },
  });
  const poolId = body.pool.id;
  const form = (await open(browser))
    .set("accountId", id)
    .set("description", "Queued")
    .set("photo", photo());
  const sent = await send(browser, form.set("when", "pool").set("poolId", String(poolId)));
  expect(sent.status, summaryOf(sent)).toBe(303);
  expect((await browser.get(sent.location ?? "")).html).toContain("waits in the pool Evergreen");
});

test("a pool's item keeps the settings of the ticked accounts, unless they differ", async () => {
  const { harness, member, browser } = await enter();
  const ids: string[] = [];
  for (const name of ["one", "two", "not ticked"]) {
    ids.push(await connectSandbox(harness, member, name, "tiktok"));
  }
  const [one = "", two = ""] = ids;
  const pinterest = await connectSandbox(harness, member, "Pins", "pinterest");
  const { body } = await harness.call("POST", "/pools", {
    token: member.token,
    json: { name: "Evergreen", timezone: "UTC" },
  });
  const form = (await open(browser))
    .set("accountId", one, two, pinterest)
    .set("description", "Queued")
    .set("photo", photo())
    .set("when", "pool")
    .set("poolId", String(body.pool.id))
    .set("pinterest.link", "https://example.com/")
    .set(`${one}.privacy_level`, "SELF_ONLY")
    .set(`${two}.privacy_level`, "PUBLIC_TO_EVERYONE");
  const refused = await send(browser, form);
  expect(refused.status).toBe(400);
  expect(summaryOf(refused)).toContain("A pool keeps one answer for all its accounts.");
  const again = formOf(refused).set(`${two}.privacy_level`, "SELF_ONLY");
  const sent = await send(
    browser,
    again.set(`${one}.allow_duet`, "true").set(`${two}.allow_duet`, "true"),
  );
  expect(sent.status, summaryOf(sent)).toBe(303);
  const item = await env.DB.prepare("SELECT settings FROM pool_items WHERE pool_id = ?")
    .bind(body.pool.id)
    .first<{ settings: string }>();
  expect(JSON.parse(item?.settings ?? "")).toMatchObject({
    link: "https://example.com/",
    privacy_level: "SELF_ONLY",
    disable_comment: "true",
    disable_duet: "false",
  });
});

test("an account whose login ended meanwhile is told, and the text stays", async () => {
  const { harness, member, browser } = await enter();
  const id = await connectSandbox(harness, member, "Lost");
  const form = (await open(browser)).set("accountId", id).set("description", "Still here");
  await env.DB.prepare("UPDATE accounts SET status = 'expired' WHERE id = ?").bind(id).run();
  const refused = await send(browser, form);
  expect(refused.status).toBe(400);
  expect(summaryOf(refused)).toContain("Reconnect the account");
  expect(refused.html).toContain(`href="/app/accounts/${id}"`);
  expect(formOf(refused).all("description")).toEqual(["Still here"]);
});

test("a file that is no image is refused beside its input, and the others stay", async () => {
  const { harness, member, browser } = await enter();
  const id = await connectSandbox(harness, member);
  const form = (await open(browser)).set("accountId", id).set("description", "Files");
  form.set("photo", new File(["no image"], "a.txt", { type: "text/plain" }), photo());
  const refused = await send(browser, form);
  expect(refused.status).toBe(400);
  expect(/id="photo-error"[^>]*>([^<]*)/.exec(refused.html)?.[1]).toContain("not an image");
  expect(formOf(refused).all("mediaId")).toHaveLength(1);
});

test("a post that is not out is edited: texts, thread, alternative texts and date", async () => {
  const { harness, member, browser } = await enter();
  const id = await connectSandbox(harness, member);
  const form = (await open(browser))
    .set("accountId", id)
    .set("description", "Before")
    .set("photo", photo());
  await send(browser, form.set("when", "at").set("date", "2026-12-24").set("time", "18:30"));
  const [post] = await postsOf(member);
  const page = await browser.get(`/app/compose?upload=${post?.id}`);
  expect(page.html).not.toContain("no longer stored");
  const edited = formOf(page);
  expect(edited.all("description")).toEqual(["Before"]);
  expect(edited.all("time")).toEqual(["18:30"]);
  edited.set("description", "After").set("altText", "A picture").set("time", "19:00");
  const saved = await send(browser, edited);
  expect(saved.location).toBe(`/app/uploads/${post?.id}?done=saved`);
  const [now] = await postsOf(member);
  expect(now).toMatchObject({ description: "After", status: "scheduled" });
  expect(new Date(Number(now?.scheduled_for)).toISOString()).toBe("2026-12-24T19:00:00.000Z");
  expect(JSON.parse(String(now?.media))[0].altText).toBe("A picture");
  const refused = await send(
    browser,
    (await open(browser, `?upload=${post?.id}`)).set("description", "x".repeat(400)),
  );
  expect(refused.status).toBe(400);
  expect(formOf(refused).all("description")).toEqual(["x".repeat(400)]);
});

test("files are moved and removed by buttons, and keep their place in the thread", async () => {
  const { browser } = await enter();
  const pictures = [100, 200, 300].map((size) => photo(size));
  const form = (await open(browser)).set("photo", ...pictures);
  const three = formOf(await send(browser, form, "add-part"));
  const [a, b, c] = three.all("mediaId");
  const marked = three.set("mediaPart", "0", "1", "0").set("thread", "Second");
  const moved = formOf(await send(browser, marked, "file-up-1"));
  expect(moved.all("mediaId")).toEqual([b, a, c]);
  expect(moved.all("mediaPart")).toEqual(["1", "0", "0"]);
  const dropped = formOf(await send(browser, moved, "file-drop-1"));
  expect(dropped.all("mediaId")).toEqual([b, c]);
  expect(formOf(await send(browser, dropped, "drop-part-1")).all("thread")).toEqual([]);
});

test("the fragment for scripts has a preview of each account, and what would be refused", async () => {
  const { harness, member, browser } = await enter();
  const id = await connectSandbox(harness, member, "Short", "x");
  const form = (await open(browser)).set("accountId", id).set("description", "long ".repeat(80));
  const address = form.action.replace("/app/compose", "/app/compose/preview");
  const { html, status } = await browser.send(address, {
    method: "POST",
    body: form.press("preview"),
  });
  expect(status).toBe(200);
  expect(html).toContain(`<li class="preview" data-account="${id}">`);
  expect(html).toContain(`data-control="description" data-account="${id}"`);
  expect(html).not.toContain("<html");
});

test("what the address names is filled in: time, text and files", async () => {
  const { browser } = await enter();
  const { html } = await browser.get(
    `/app/compose?at=2026-12-24T18:30&text=Hello&mediaId=${"ab".repeat(32)}`,
  );
  const form = new FilledForm(html, "compose");
  expect([
    form.all("date"),
    form.all("when"),
    form.all("description"),
    form.all("mediaId"),
  ]).toEqual([["2026-12-24"], ["at"], ["Hello"], ["ab".repeat(32)]]);
  expect(html).toContain("no longer stored");
});

test("an ended session leads to the sign-in and back to the draft", async () => {
  const { harness, browser } = await enter();
  const { location } = await send(
    browser,
    (await open(browser)).set("description", "Kept"),
    "save",
  );
  const form = await open(browser, location?.slice("/app/compose".length));
  const draft = /draft=(\d+)/.exec(location ?? "")?.[1];
  const sendFrom = (referer: string) =>
    new Browser(harness).send(form.action, {
      method: "POST",
      headers: { referer },
      body: form.press("send"),
    });
  const page = `/app/compose?draft=${draft}`;
  const signedOut = await sendFrom(`https://akimbo.test${page}`);
  expect(signedOut.location).toBe(`/sign-in?next=${encodeURIComponent(page)}`);
  const foreign = await sendFrom(`https://elsewhere.test${page}`);
  expect(foreign.location).toBe("/sign-in");
});

test("a draft that was sent leads to the posts", async () => {
  const { browser } = await enter();
  const page = await browser.get("/app/compose?draft=123");
  expect(page.status).toBe(404);
  expect(page.html).toContain("This draft was sent or removed.");
  expect(page.html).toContain('id="compose"');
});
