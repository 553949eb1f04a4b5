import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import { MAX_NOTE_CHARACTERS } from "../../../src/features/review/rules.ts";
import { form } from "../../support/harness.ts";
import { beginLife, type Columns, type Life, later } from "../../support/life.ts";
import { measure } from "../../support/meter.ts";
import { effectsOf } from "../../support/permission-rows.ts";
import { Browser, formsOf, type Page } from "../../support/person.ts";
import { decisionFields } from "../../support/review-page.ts";
import { photo } from "../../support/stage.ts";

let life: Life;
let client: Browser;

beforeEach(async () => {
  life = await beginLife();
  client = new Browser(life.harness);
});

const awaiting = (columns: Columns = {}) =>
  life.insert({ status: "pending_approval", scheduled_for: later(7_200).getTime(), ...columns });

/** Makes a link; the path of its page. */
async function makeLink(...uploadIds: number[]): Promise<string> {
  const { status, body } = await life.call("POST", "/upload/review-links", { uploadIds });
  expect(status, JSON.stringify(body)).toBe(200);
  return new URL(body.data.url).pathname;
}

const statusOf = async (id: number): Promise<string> => (await life.row(id)).status;

/** Opens the page and decides on a post. */
async function decide(path: string, id: number, comment?: string): Promise<Page> {
  const page = await client.get(path);
  const fields = decisionFields(page, comment === undefined ? "approve" : "changes", id);
  return client.post(path, { ...fields, ...(comment === undefined ? {} : { comment }) });
}

describe("the page of a review link", () => {
  test("shows each post with its texts, account, dates and settings in words", async () => {
    const json = { zone: "Europe/Berlin" };
    await life.call("PATCH", "/settings", json);
    const id = await awaiting({
      title: "A label",
      description: "Hello harbour",
      settings: JSON.stringify({ bluesky_langs: ["de"] }),
    });
    const { status, html } = await client.get(await makeLink(id));
    expect(status).toBe(200);
    for (const text of [
      "Hello harbour",
      "A label",
      `Ada ${life.member.teamId}`,
      "Tue, 1 Dec 2026, 12:00 (Europe/Berlin)",
      "Tue, 1 Dec 2026, 11:00 UTC",
      "German",
      "Post · Bluesky",
    ]) {
      expect(html).toContain(text);
    }
  });

  const LONG_TITLE = `${"x".repeat(90)} and more`;
  const VIDEO = JSON.stringify([{ sha256: "a".repeat(64), kind: "video" }]);
  const PHOTO = VIDEO.replace("video", "image");

  test.each<[what: string, platform: Platform, columns: Columns, texts: string[]]>([
    [
      "a TikTok of photos: its title cut, and whole in the description",
      "tiktok",
      { title: LONG_TITLE, description: "More", media: PHOTO },
      [`<bdi>${"x".repeat(90)}</bdi>`, `${LONG_TITLE}\nMore</p>`],
    ],
    [
      "a reel of Facebook: its title above its text",
      "facebook",
      { title: "Pier", description: "More", media: VIDEO, settings: '{"media_type":"REELS"}' },
      ["<bdi>Pier</bdi>", "More</p>"],
    ],
    [
      "a document of LinkedIn: its title",
      "linkedin",
      { title: "Pier", description: "More", media: VIDEO.replace("video", "document") },
      ["<bdi>Pier</bdi>", "More</p>"],
    ],
    ["a pin without a title", "pinterest", { title: null, media: PHOTO }, ["<bdi>Untitled</bdi>"]],
  ])("shows the texts that are published of %s", async (_, platform, columns, texts) => {
    life = await beginLife(life.harness, platform);
    const { html } = await client.get(await makeLink(await awaiting(columns)));
    for (const text of texts) expect(html).toContain(text);
    expect(html).not.toContain("for the team alone");
  });

  test("shows the files of a thread's posts, each with its alternative text", async () => {
    const { accountId, member } = life;
    const body = form({
      ...{ accountId, description: "One", status: "pending_approval" },
      ...{ photo: [photo(), photo(40)], alt_text: '["Of the post","Of the part"]' },
      thread: '[{"text":"Two","media":[1]}]',
    });
    const made = await life.harness.call("POST", "/upload", { token: member.token, body });
    const { html } = await client.get(await makeLink(made.body.data.uploadId));
    expect(html).toMatch(
      /<dt>File of: Post 2 of the thread<\/dt>.*<img src="[^"]+" alt="Of the part"/s,
    );
    expect(html).toContain("Alternative text: Of the part");
  });

  test("is found by no search engine, framed by nobody, stored nowhere, and tells its address to nobody", async () => {
    const { headers, html } = await client.get(await makeLink(await awaiting()));
    expect(headers.get("x-robots-tag")).toBe("noindex");
    expect(html).toContain('<meta name="robots" content="noindex');
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-frame-options")).toBe("DENY");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("media-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  test("has one script, whose hash alone its policy allows", async () => {
    const { headers, html } = await client.get(await makeLink(await awaiting()));
    const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
      ([, text]) => text ?? "",
    );
    expect(scripts).toHaveLength(1);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(scripts[0]));
    const hash = `'sha256-${new Uint8Array(digest).toBase64()}'`;
    expect(headers.get("content-security-policy")).toContain(`script-src ${hash};`);
    expect(html).not.toMatch(/ on\w+=|javascript:/);
  });

  test("asks for nothing from elsewhere, a picture of the account included", async () => {
    await env.DB.prepare("UPDATE accounts SET profile_image_url = ? WHERE id = ?")
      .bind("https://cdn.example/face.png", life.accountId)
      .run();
    const path = await makeLink(await awaiting());
    expect((await client.get(path)).html).not.toMatch(/(src|poster)="(?!\/)/);
    await env.DB.prepare("UPDATE accounts SET profile_image_url = ? WHERE id = ?")
      .bind("https://akimbo.test/face.png", life.accountId)
      .run();
    expect((await client.get(path)).html).toContain('src="https://akimbo.test/face.png"');
  });

  test("shows photos in their size, and a video that plays in ranges", async () => {
    const body = form({
      accountId: life.accountId,
      description: "Photo",
      status: "draft",
      photo: photo(),
    });
    const created = await life.harness.call("POST", "/upload", { token: life.member.token, body });
    const { html } = await client.get(await makeLink(created.body.data.uploadId));
    const [, address = ""] =
      /<img src="(\/media\/[^"]+)"[^>]* width="1" height="1"/.exec(html) ?? [];
    const file = await client.get(address.replaceAll("&amp;", "&"));
    expect([file.status, file.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(file.headers.get("accept-ranges")).toBe("bytes");
  });

  test("shows hostile texts as texts", async () => {
    const evil = `<script>alert(1)</script><img src=x onerror=alert(2)>"'{{7*7}}\u202Eabc`;
    await life.call("PATCH", "/settings", { branding: { name: evil } });
    await env.DB.prepare("UPDATE accounts SET account_name = ?1, handle = ?1 WHERE id = ?2")
      .bind(evil, life.accountId)
      .run();
    const settings = JSON.stringify({ bluesky_alt_text: evil, [evil]: evil });
    const id = await awaiting({ title: evil, description: `${evil} text`, settings });
    const { html } = await client.get(await makeLink(id));
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toMatch(/<img src=x|" onerror/);
    expect(html).toContain("&lt;script&gt;alert(1)");
  });

  test("carries the workspace's branding", async () => {
    const branding = {
      name: "Harbour Studio",
      link: "https://harbour.example/",
      color: "#ffd400",
    };
    await life.call("PATCH", "/settings", { branding });
    await life.harness.call("PUT", "/settings/logo", {
      token: life.member.token,
      body: new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    });
    const { html } = await client.get(await makeLink(await awaiting()));
    expect(html).toMatch(/<title>[^<]* · Harbour Studio/);
    expect(html).toContain(
      'href="https://harbour.example/" target="_blank" rel="noopener noreferrer"',
    );
    expect(html).toMatch(/<svg class="stripe" aria-hidden="true"><rect [^>]*fill="#ffd400"/);
    expect(html).toMatch(/<img class="logo" src="\/branding\/\d+\/[0-9a-f]{32}"/);
    expect(html).not.toContain("Akimbo");
  });

  test("changes nothing by being read, however often and by whomever", async () => {
    const id = await awaiting();
    const path = await makeLink(id);
    const { costs } = await measure(life.harness, async () => {
      for (const query of ["", "?decision=approve", `?done=approved&post=${id}`]) {
        expect((await client.get(path + query)).status).toBe(200);
      }
      await client.send(path, { method: "HEAD" });
    });
    expect(effectsOf(costs)).toEqual([]);
    expect(await statusOf(id)).toBe("pending_approval");
  });
});

describe("a decision", () => {
  test("approves a post: it is planned, and the event says who approved", async () => {
    const id = await awaiting();
    const path = await makeLink(id);
    const done = await decide(path, id);
    expect(done).toMatchObject({
      status: 303,
      location: `${path}?done=approved&post=${id}#post-${id}`,
    });
    expect(await statusOf(id)).toBe("scheduled");
    const { html } = await client.get(done.location?.split("#")[0] ?? "");
    expect(html).toContain("Thank you: this post is approved.");
    expect(formsOf(html)).toEqual([]);
    const other = await awaiting();
    const waiting = await makeLink(other);
    for (const query of [`?done=approved&post=${other}`, "?done=all", "?done=changes&post=1"]) {
      expect((await client.get(waiting + query)).html, query).not.toContain("Thank you");
    }
    expect((await life.events()).at(-1)).toMatchObject({
      name: "upload.approved",
      data: { uploadId: id, reviewedBy: "client" },
    });
  });

  test("asks for changes: the post is a draft with the note, which the page shows", async () => {
    const id = await awaiting();
    const path = await makeLink(id);
    const note = `Less blue, please <b>\u202E\r\nThank you`;
    expect((await decide(path, id, note)).status).toBe(303);
    expect(await life.row(id)).toMatchObject({
      status: "draft",
      review_comment: "Less blue, please <b>\u202E\nThank you",
    });
    const { html } = await client.get(path);
    expect(html).toContain("Changes asked for");
    expect(html).toContain('dir="auto">Less blue, please &lt;b&gt;');
    expect((await life.events()).at(-1)).toMatchObject({
      name: "upload.changes_requested",
      data: { reviewedBy: "client" },
    });
  });

  test("approves all that were shown waiting, and leaves what was decided", async () => {
    const [first, second, third] = [
      await awaiting(),
      await awaiting({ description: "B" }),
      await awaiting({ description: "C" }),
    ];
    const path = await makeLink(first, second, third);
    await decide(path, second, "No");
    const page = await client.get(path);
    expect(page.html).toContain("Approve all 2");
    const done = await client.post(path, decisionFields(page, "all"));
    expect(done).toMatchObject({ status: 303, location: `${path}?done=all` });
    expect(await Promise.all([first, second, third].map(statusOf))).toEqual([
      "scheduled",
      "draft",
      "scheduled",
    ]);
  });

  test("on all says of each post that it could not be, and approves the others", async () => {
    const [good, edited] = [await awaiting(), await awaiting({ description: "B" })];
    const path = await makeLink(good, edited);
    const page = await client.get(path);
    await life.call("PATCH", `/upload/${edited}`, { description: "Another text" });
    const answer = await client.post(path, decisionFields(page, "all"));
    expect(answer.status).toBe(409);
    expect(answer.html).toContain("One post was not approved");
    expect(answer.html).toContain("This post was changed after you opened the page.");
    expect(await statusOf(good)).toBe("scheduled");
  });

  test("is made once: sent again, it says that it is decided (409)", async () => {
    const id = await awaiting();
    const path = await makeLink(id);
    const page = await client.get(path);
    const approve = decisionFields(page, "approve", id);
    expect((await client.post(path, approve)).status).toBe(303);
    const events = await life.events();
    for (const fields of [approve, { ...decisionFields(page, "changes", id), comment: "Late" }]) {
      const answer = await client.post(path, fields);
      expect(answer.status).toBe(409);
      expect(answer.html).toContain("This was decided already");
    }
    expect(await statusOf(id)).toBe("scheduled");
    expect(await life.events()).toEqual(events);
  });

  test("on a post that was edited since it was shown is not made, and the new one is shown (409)", async () => {
    const id = await awaiting();
    const path = await makeLink(id);
    const page = await client.get(path);
    await life.call("PATCH", `/upload/${id}`, { description: "A new text" });
    const answer = await client.post(path, decisionFields(page, "approve", id));
    expect(answer.status).toBe(409);
    expect(answer.html).toContain("was changed after you opened the page");
    expect(answer.html).toContain("A new text");
    expect(await statusOf(id)).toBe("pending_approval");
    expect((await client.post(path, decisionFields(answer, "approve", id))).status).toBe(303);
  });

  test("on a post that was removed says so (410)", async () => {
    const id = await awaiting();
    const path = await makeLink(id);
    const page = await client.get(path);
    await life.call("DELETE", `/upload/${id}`);
    const answer = await client.post(path, decisionFields(page, "approve", id));
    expect(answer.status).toBe(410);
    expect(answer.html).toContain("The team has removed this post");
    expect(answer.html).not.toContain("Old text");
  });

  test("on a draft that the team took back is not made (409)", async () => {
    const id = await awaiting();
    const path = await makeLink(id);
    const page = await client.get(path);
    await life.call("POST", `/upload/${id}/request-changes`, { comment: "Wait" });
    expect((await client.post(path, decisionFields(page, "approve", id))).status).toBe(409);
    expect(await statusOf(id)).toBe("draft");
  });

  test.each([
    ["a note of 10,000 characters", "x".repeat(10_000), "more than 2,000 characters"],
    ["a note one too long", "x".repeat(MAX_NOTE_CHARACTERS + 1), "more than 2,000 characters"],
    ["a blank note", " \r\n ", "Write what should be changed"],
  ])("with %s is refused, and the note stays in its field (400)", async (_, comment, told) => {
    const id = await awaiting();
    const path = await makeLink(id);
    const answer = await decide(path, id, comment);
    expect(answer.status).toBe(400);
    expect(answer.html).toContain(told);
    expect(answer.html).toContain(`${comment.trim()}</textarea>`);
    expect(await statusOf(id)).toBe("pending_approval");
  });

  test("takes a note of as many characters as there may be", async () => {
    const id = await awaiting();
    const path = await makeLink(id);
    expect((await decide(path, id, "😀".repeat(MAX_NOTE_CHARACTERS))).status).toBe(303);
  });

  test.each([
    [
      "disconnected",
      () => life.call("DELETE", `/accounts/${life.accountId}`),
      "account that it is for is not connected",
    ],
    [
      "at its daily limit",
      async () => {
        const used = { status: "completed", title: null, description: "Something else" };
        await life.insertMany(Array.from({ length: 150 }, () => used));
      },
      "as many posts today as its platform takes",
    ],
  ])("on an account that is %s tells the client in plain words (409)", async (_, act, told) => {
    const id = await awaiting({ scheduled_for: null });
    const path = await makeLink(id);
    await act();
    const answer = await decide(path, id);
    expect(answer.status).toBe(409);
    expect(answer.html).toContain(told);
    expect(answer.html).not.toMatch(/ACCOUNT_INACTIVE|DAILY_LIMIT|Bluesky takes/);
    expect(await statusOf(id)).toBe("pending_approval");
  });
});

describe("what is refused, with nothing changed", () => {
  test("forged, foreign and malformed tokens (404)", async () => {
    const id = await awaiting();
    const path = await makeLink(id);
    const token = path.slice("/review/".length);
    const [number, signature = ""] = token.split("-");
    const other = signature.startsWith("0") ? "1" : "0";
    const { body } = await life.call("POST", "/whitelabel/links", {
      platform: "x",
      mode: "sandbox",
    });
    for (const wrong of [
      `${number}-${other}${signature.slice(1)}`,
      `${Number(number) + 1}-${signature}`,
      `0${number}-${signature}`,
      `${number}-${signature.toUpperCase()}`,
      `${number}-`,
      "x",
      "%00",
      body.data.token,
    ]) {
      for (const page of [
        await client.get(`/review/${wrong}`),
        await client.post(`/review/${wrong}`, { decision: "approve", post: String(id) }),
      ]) {
        expect([wrong, page.status]).toEqual([wrong, 404]);
        expect(page.html).toContain("This link leads nowhere");
        expect(page.html).not.toContain("Old text");
      }
    }
    expect(await statusOf(id)).toBe("pending_approval");
  });

  test("an expired link, read or decided by (410)", async () => {
    const id = await awaiting();
    const path = await makeLink(id);
    const fields = decisionFields(await client.get(path), "approve", id);
    life.harness.advance(14 * 86_400);
    for (const page of [await client.get(path), await client.post(path, fields)]) {
      expect(page.status).toBe(410);
      expect(page.html).toContain("This link has expired");
      expect(page.html).not.toContain("Old text");
    }
    expect(await statusOf(id)).toBe("pending_approval");
  });

  test("a link whose team is gone (410)", async () => {
    const path = await makeLink(await awaiting());
    await env.DB.prepare("UPDATE teams SET deleted_at = 1 WHERE id = ?")
      .bind(life.member.teamId)
      .run();
    expect((await client.get(path)).status).toBe(410);
  });

  test("a post that is not the link's (404)", async () => {
    const [own, foreign] = [await awaiting(), await awaiting({ description: "B" })];
    const path = await makeLink(own);
    const fields = decisionFields(await client.get(path), "approve", own);
    const answer = await client.post(path, { ...fields, post: String(foreign) });
    expect(answer.status).toBe(404);
    expect(await statusOf(foreign)).toBe("pending_approval");
    const all = decisionFields(await client.get(await makeLink(own, foreign)), "all");
    await client.post(path, { ...all, proof: fields.proof ?? "" });
    expect(await statusOf(foreign)).toBe("pending_approval");
  });

  test.each([
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another site of the same domain", { "sec-fetch-site": "same-site" }],
    ["another origin", { "sec-fetch-site": "", origin: "https://evil.example" }],
  ])("a form that comes from %s (403)", async (_, headers) => {
    const id = await awaiting();
    const path = await makeLink(id);
    const fields = decisionFields(await client.get(path), "approve", id);
    const body = new URLSearchParams(fields);
    const sent = new Headers(Object.entries(headers).filter(([, value]) => value !== ""));
    const answer = await life.harness.request(path, { method: "POST", body, headers: sent });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("sent from a page of another site");
    expect(await statusOf(id)).toBe("pending_approval");
  });

  test("no word of where a form comes from, unless it holds the page's proof as older browsers' do", async () => {
    const id = await awaiting();
    const path = await makeLink(id);
    const fields = decisionFields(await client.get(path), "approve", id);
    const send = (body: Record<string, string>, headers: HeadersInit) =>
      life.harness.request(path, { method: "POST", body: new URLSearchParams(body), headers });
    expect((await send(fields, {})).status).toBe(403);
    const forged = { ...fields, proof: "0".repeat(64) };
    expect((await send(forged, { origin: "null" })).status).toBe(403);
    expect((await send(fields, { origin: "null" })).status).toBe(303);
  });

  test.each([
    ["without its proof", { proof: "" }, 403],
    ["with a forged proof", { proof: "0".repeat(64) }, 403],
    ["without a decision", { decision: "" }, 400],
    ["with another decision", { decision: "delete" }, 400],
    ["without the version that was shown", { seen: "" }, 409],
    ["with another version", { seen: "0".repeat(64) }, 409],
    ["without a post", { post: "" }, 404],
    ["with no post's number", { post: "1 OR 1=1" }, 404],
  ])("a form %s", async (_, change, status) => {
    const id = await awaiting();
    const path = await makeLink(id);
    const fields = decisionFields(await client.get(path), "approve", id);
    expect((await client.post(path, { ...fields, ...change })).status).toBe(status);
    expect(await statusOf(id)).toBe("pending_approval");
  });

  test("the proof of another link", async () => {
    const [first, second] = [await awaiting(), await awaiting({ description: "B" })];
    const other = decisionFields(await client.get(await makeLink(first)), "approve", first);
    const path = await makeLink(second);
    const fields = decisionFields(await client.get(path), "approve", second);
    const answer = await client.post(path, { ...fields, proof: other.proof ?? "" });
    expect(answer.status).toBe(403);
    expect(await statusOf(second)).toBe("pending_approval");
  });

  test("a body that is no form, and one that is too large", async () => {
    const path = await makeLink(await awaiting());
    const headers = { "sec-fetch-site": "same-origin" };
    const send = (body: string, type: string) =>
      life.harness.request(path, {
        method: "POST",
        body,
        headers: { ...headers, "content-type": type },
      });
    expect((await send("{}", "application/json")).status).toBe(400);
    expect((await send("a".repeat(500_000), "application/x-www-form-urlencoded")).status).toBe(413);
  });
});

test("two clients decide at once: one of them does, the other is told", async () => {
  const id = await awaiting();
  const path = await makeLink(id);
  const page = await client.get(path);
  const changes = { ...decisionFields(page, "changes", id), comment: "Wait" };
  const answers = await Promise.all([
    client.post(path, decisionFields(page, "approve", id)),
    client.post(path, changes),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
  const decisions = (await life.events()).filter(({ name }) => /approved|changes/.test(name));
  expect(decisions).toHaveLength(1);
});
