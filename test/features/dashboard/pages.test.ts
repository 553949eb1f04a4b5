import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import {
  connectSandbox,
  createMember,
  form,
  Harness,
  harnessWith,
  joinTeam,
  type Member,
} from "../../support/harness.ts";
import { Browser, formsOf } from "../../support/person.ts";

async function signedIn(harness = new Harness()) {
  const member = await createMember();
  const browser = await new Browser(harness).signIn(member);
  return { harness, member, browser };
}

async function createPost(
  harness: Harness,
  { token }: Member,
  accountId: string,
  fields: Record<string, string> = {},
): Promise<number> {
  const body = form({ accountId, platform: "bluesky", title: "A small post", ...fields });
  const answer = await harness.call("POST", "/upload", { token, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data.uploadId;
}

const failAs = (id: number, code: string, message: string) =>
  env.DB.prepare(
    `UPDATE uploads SET status = 'failed', status_group = 'failed', due_at = NULL, failed_at = created_at,
      failure_code = ?, error_message = ? WHERE id = ?`,
  )
    .bind(code, message, id)
    .run();

test("an empty home says what to do next", async () => {
  const { browser } = await signedIn();
  const { status, html } = await browser.get("/app");
  expect(status).toBe(200);
  expect(html).toMatch(
    /Connect an account.*To do.*Compose a post.*To do.*See it in the sandbox.*To do/s,
  );
  expect(html).toContain("No post has failed");
  expect(html).not.toContain("Changes were requested");
  expect(html).toContain("No post waits for approval");
  expect(html).toContain("No account has to be reconnected");
});

test("home: what is due, what waits, what failed, what is to be reconnected, in that order", async () => {
  const { harness, member, browser } = await signedIn();
  const accountId = await connectSandbox(harness, member);
  const at = "2026-12-08T08:30:00Z";
  const later = "2026-12-08T09:30:00Z";
  await createPost(harness, member, accountId, { title: "In a week", schedule_date: at });
  await createPost(harness, member, accountId, { title: "Later", schedule_date: later });
  const failed = await createPost(harness, member, accountId, { title: "An unlucky one" });
  await failAs(failed, "rate_limited", "Too many posts");
  const cancelled = await createPost(harness, member, accountId, { title: "Called off" });
  await failAs(cancelled, "cancelled", "Cancelled before it was published.");
  await createPost(harness, member, accountId, { title: "Held back", status: "pending_approval" });
  await createPost(harness, member, accountId, { title: "Only begun", status: "draft" });
  const sentBack = await createPost(harness, member, accountId, {
    title: "Sent back",
    status: "draft",
  });
  await env.DB.prepare("UPDATE uploads SET review_comment = 'Shorter' WHERE id = ?")
    .bind(sentBack)
    .run();
  const lost = await connectSandbox(harness, member, "Lost", "threads");
  await env.DB.prepare("UPDATE accounts SET status = 'expired' WHERE id = ?").bind(lost).run();
  const { html } = await browser.get("/app");
  const parts = ["In a week", "Held back", "Sent back", "An unlucky one", "Login expired"];
  const places = parts.map((text) => html.indexOf(text));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((one, other) => one - other));
  expect(html).toContain("Wait a while, then retry.");
  expect(html).not.toContain("Called off");
  expect(html).not.toContain("Only begun");
  expect(html).not.toContain("Later");
  expect(html).not.toContain("did not publish");
  await failAs(failed, "platform_unavailable", "It is down");
  expect((await browser.get("/app")).html).toContain("Bluesky did not publish one post");
});

test("home leads from zero to the first post that is out, and then no longer", async () => {
  const { harness, member, browser } = await signedIn();
  const shown = async () => (await browser.get("/app")).html.match(/>(Done|To do)</g) ?? [];
  const accountId = await connectSandbox(harness, member);
  expect(await shown()).toEqual([">Done<", ">To do<", ">To do<"]);
  await createPost(harness, member, accountId);
  expect(await shown()).toEqual([">Done<", ">Done<", ">To do<"]);
  await harness.drain();
  expect(await shown()).toEqual([]);
});

test("pages escape what people wrote", async () => {
  const { harness, member, browser } = await signedIn();
  const accountId = await connectSandbox(harness, member, "<b>Bold</b>");
  const title = `<script>alert(1)</script>"'`;
  const id = await createPost(harness, member, accountId, { title });
  for (const path of [
    "/app",
    "/app/uploads",
    `/app/uploads/${id}`,
    "/app/accounts",
    `/app/accounts/${accountId}`,
  ]) {
    const { status, html } = await browser.get(path);
    expect(status, path).toBe(200);
    expect(html, path).not.toMatch(/<script>|<b>/);
  }
});

test("times are in the team's zone, and in UTC", async () => {
  const { harness, member, browser } = await signedIn();
  const accountId = await connectSandbox(harness, member);
  await createPost(harness, member, accountId, { schedule_date: "2026-12-24T23:30:00Z" });
  expect((await browser.get("/app/uploads")).html).toContain("Thu, 24 Dec 2026, 23:30 UTC");
  await env.DB.prepare("UPDATE teams SET zone = 'Europe/Berlin' WHERE id = ?")
    .bind(member.teamId)
    .run();
  const { html } = await browser.get("/app/uploads");
  expect(html).toContain("Fri, 25 Dec 2026, 00:30 (2026-12-24 23:30 UTC)");
  const christmas = "/app/uploads?from=2026-12-25&to=2026-12-25";
  expect((await browser.get(christmas)).html).toContain("0 posts");
  expect((await browser.get(`${christmas}&zone=Europe%2FBerlin`)).html).toContain("1 post");
});

test("uploads are found by state, platform and text, page by page", async () => {
  const { harness, member, browser } = await signedIn();
  const accountId = await connectSandbox(harness, member);
  for (let i = 0; i < 27; i++) {
    await createPost(harness, member, accountId, { title: `Post number ${i}`, status: "draft" });
  }
  const first = await browser.get("/app/uploads?limit=25&status=draft&platform=bluesky&search=");
  expect(first.html).toContain("27 posts");
  expect(first.html).toContain("Page 1 of 2");
  expect(first.html).toContain("page=2");
  const second = await browser.get("/app/uploads?limit=25&page=2");
  expect(second.html).toContain("Post number 0");
  expect((await browser.get("/app/uploads?page=9")).html).toContain("ends before this page");
  expect((await browser.get("/app/uploads?search=number+26")).html).toContain("1 post<");
  expect((await browser.get("/app/uploads?status=failed")).html).toContain("No upload matches");
});

test.each([
  "status=x",
  "platform=y",
  "from=yesterday",
  "to=2026-02-30",
  "page=0",
  "page=x",
  "search=%00",
])("a filter that cannot be read is told in words (%s)", async (query) => {
  const { browser } = await signedIn();
  const { status, html } = await browser.get(`/app/uploads?${query}`);
  expect(status).toBe(200);
  expect(html).toContain('role="alert"');
});

test("an upload shows its text, its timeline and what to do, and is retried once", async () => {
  const { harness, member, browser } = await signedIn();
  const accountId = await connectSandbox(harness, member);
  const id = await createPost(harness, member, accountId, { title: "Try me" });
  await harness.drain();
  const published = await browser.get(`/app/uploads/${id}`);
  expect(published.html).toMatch(/Try me.*Created by A person.*Published/s);
  expect(published.html).toContain("nothing is on Bluesky");
  await env.DB.prepare("UPDATE accounts SET mode = 'live' WHERE id = ?").bind(accountId).run();
  const live = await browser.get(`/app/uploads/${id}`);
  expect(live.html).toMatch(/<a href="https:\/\/[^"]+" rel="noreferrer">Open the post on Bluesky/);
  await env.DB.prepare("UPDATE accounts SET mode = 'sandbox' WHERE id = ?").bind(accountId).run();
  expect(published.html.match(/<p>Published<\/p>/g)).toHaveLength(1);
  const done = await browser.post(`/app/uploads/${id}/retry`);
  expect(done.status).toBe(409);
  expect(done.html).toContain("only a failed one can be retried");

  const failed = await createPost(harness, member, accountId, { title: "Second" });
  await failAs(failed, "platform_unavailable", "The platform was down");
  const before = await browser.get(`/app/uploads/${failed}`);
  expect(before.html).toContain("The platform was down");
  expect(before.html).toContain("Retry the post.");
  const retried = await browser.post(`/app/uploads/${failed}/retry`);
  expect(retried).toMatchObject({ status: 303, location: `/app/uploads/${failed}?done=retried` });
  expect((await browser.get(retried.location ?? "")).html).toContain("queued again");
});

test("a timeline has every event of its post, however many the team has before and after", async () => {
  const { harness, member, browser } = await signedIn();
  const accountId = await connectSandbox(harness, member);
  const id = await createPost(harness, member, accountId);
  const other = await createPost(harness, member, accountId, { title: "Another" });
  await env.DB.batch(
    [0, 10_000].map((from) =>
      env.DB.prepare(
        `WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 + 2999)
          INSERT INTO events (team_id, id, name, data, created_at)
          SELECT ?2, 'evt_' || printf('%012x', created_at + i) || printf('%016x', i), 'upload.approved',
            json_object('uploadId', ?3, 'platform', 'bluesky', 'reviewedBy', 'team', 'scheduledFor', NULL),
            created_at + i FROM n, uploads WHERE uploads.id = ?3`,
      ).bind(from, member.teamId, other),
    ),
  );
  harness.advance(5_000);
  const { token } = member;
  const json = { scheduledFor: "2027-01-01T00:00:00Z" };
  const changed = await harness.call("PATCH", `/upload/${id}`, { token, json });
  expect(changed.status, JSON.stringify(changed.body)).toBe(200);
  harness.advance(60_000);
  const { html } = await browser.get(`/app/uploads/${id}`);
  expect(html).toContain("<p>Planned for Fri, 1 Jan 2027");
  expect(html).not.toContain("<p>Approved</p>");
});

test("a failure that a retry hardly helps is retried only when a person insists", async () => {
  const { harness, member, browser } = await signedIn();
  const accountId = await connectSandbox(harness, member);
  const id = await createPost(harness, member, accountId);
  await failAs(id, "platform_processing_timeout", "No answer");
  expect((await browser.get(`/app/uploads/${id}`)).html).toContain("would publish it twice");
  expect((await browser.post(`/app/uploads/${id}/retry`)).status).toBe(409);
  expect((await browser.post(`/app/uploads/${id}/retry?force=1`)).status).toBe(303);
});

test("a waiting post is cancelled, a draft is removed", async () => {
  const { harness, member, browser } = await signedIn();
  const accountId = await connectSandbox(harness, member);
  const at = "2026-12-24T18:30:00Z";
  const planned = await createPost(harness, member, accountId, { schedule_date: at });
  const cancelled = await browser.post(`/app/uploads/${planned}/delete`);
  expect(cancelled.location).toBe(`/app/uploads/${planned}?done=cancelled`);
  expect((await browser.get(`/app/uploads/${planned}`)).html).toMatch(/Planned for.*Cancelled/s);
  const draft = await createPost(harness, member, accountId, { title: "Two", status: "draft" });
  const removed = await browser.post(`/app/uploads/${draft}/delete`);
  expect(removed.location).toBe("/app/uploads?done=removed");
  expect((await browser.get(`/app/uploads/${draft}`)).status).toBe(404);
});

test("a draft is submitted, sent back with a comment, and approved as it is shown", async () => {
  const { harness, member, browser } = await signedIn();
  const accountId = await connectSandbox(harness, member);
  const id = await createPost(harness, member, accountId, { status: "draft" });
  const page = `/app/uploads/${id}`;
  expect((await browser.get(page)).html).toMatch(/Publish now<.*Submit for approval</s);
  const submitted = await browser.post(`${page}/submit`);
  expect(submitted.location).toBe(`${page}?done=submitted`);
  const shown = await browser.get(submitted.location ?? "");
  expect(shown.html).toContain("The post waits for approval.");
  expect(shown.html).not.toContain("Submit for approval");
  expect((await browser.get("/app")).html).toContain("All posts that wait for approval");

  const long = "y".repeat(2_001);
  const refused = await browser.post(`${page}/request-changes`, { comment: long });
  expect(refused.status).toBe(400);
  expect(refused.html).toContain("must have at most 2,000 characters");
  expect(refused.html).toContain(long);
  const comment = "<b>Shorter</b> \u202eplease";
  const returned = await browser.post(`${page}/request-changes`, { comment });
  expect(returned.location).toBe(`${page}?done=returned`);
  const draft = (await browser.get(returned.location ?? "")).html;
  expect(draft).toContain("<bdi>&lt;b&gt;Shorter&lt;/b&gt; \u202eplease</bdi>");

  const approve = formsOf(draft).find((address) => address.includes("/approve?seen="));
  const { token } = member;
  await harness.call("PATCH", `/upload/${id}`, { token, json: { title: "Changed since" } });
  const changed = await browser.sendForm(approve ?? "");
  expect(changed.status).toBe(409);
  expect(changed.html).toContain("has changed since it was shown");
  const again = formsOf(changed.html).find((address) => address.includes("/approve?seen="));
  expect((await browser.sendForm(again ?? "")).location).toBe(`${page}?done=approved`);
  await harness.drain();
  expect((await browser.get(page)).html).toMatch(/Changes were requested: .*Approved.*Published/s);
});

test.each([
  ["one's own draft is published", {}, "own", "Publish now"],
  [
    "one's own draft with a date is scheduled",
    { schedule_date: "2026-12-24T10:00:00Z" },
    "own",
    "Schedule",
  ],
  ["another person's draft is approved", {}, "another", "Approve"],
  ["a post that waits is approved", { status: "pending_approval" }, "own", "Approve"],
] as const)("%s", async (_, fields, whose, word) => {
  const { harness, member, browser } = await signedIn();
  const accountId = await connectSandbox(harness, member);
  const id = await createPost(harness, member, accountId, { status: "draft", ...fields });
  const other = await createMember();
  await joinTeam(member.teamId, other.userId, "ADMIN");
  const reader =
    whose === "own" ? browser : (await new Browser(harness).signIn(other)).show(member.teamId);
  const { html } = await reader.get(`/app/uploads/${id}`);
  expect(html).toContain(`<button type="submit">${word}</button>`);
});

test("a member submits, and is told who approves", async () => {
  const { harness, member } = await signedIn();
  const accountId = await connectSandbox(harness, member);
  const id = await createPost(harness, member, accountId, { status: "draft" });
  const colleague = await createMember();
  await joinTeam(member.teamId, colleague.userId, "MEMBER");
  const browser = (await new Browser(harness).signIn(colleague)).show(member.teamId);
  const page = `/app/uploads/${id}`;
  expect((await browser.get(page)).html).not.toContain("/approve");
  expect((await browser.post(`${page}/submit`)).status).toBe(303);
  expect((await browser.get(page)).html).toContain("An owner or admin of the team approves");
  const refused = await browser.post(`${page}/approve`);
  expect(refused.status).toBe(403);
  expect(refused.html).toContain("Only the owner and admins approve posts");
});

test("what belongs to another team is not found", async () => {
  const { harness, browser } = await signedIn();
  const other = await createMember();
  const accountId = await connectSandbox(harness, other);
  const id = await createPost(harness, other, accountId);
  for (const path of [
    `/app/uploads/${id}`,
    `/app/accounts/${accountId}`,
    "/app/uploads/x",
    "/app/accounts/x/remove",
  ]) {
    expect((await browser.get(path)).status, path).toBe(404);
  }
  for (const path of [
    `/app/uploads/${id}/retry`,
    `/app/uploads/${id}/delete`,
    `/app/accounts/${accountId}/tags`,
    `/app/accounts/${accountId}/remove`,
  ]) {
    expect((await browser.post(path, { tags: "x" })).status, path).toBe(404);
  }
});

test("a sandbox account is made, tagged and disconnected on its pages", async () => {
  const { browser } = await signedIn();
  const made = await browser.post("/app/accounts", { platform: "bluesky", name: "Ada" });
  expect(made).toMatchObject({ status: 303, location: "/app/accounts?done=connected" });
  const { html } = await browser.get("/app/accounts");
  const id = /\/app\/accounts\/(acc_\w+)/.exec(html)?.[1];
  expect(
    (await browser.post(`/app/accounts/${id}/tags`, { tags: " news, ,news,fun " })).status,
  ).toBe(303);
  expect((await browser.get("/app/accounts")).html).toContain("tags: news, fun");
  const tooLong = await browser.post(`/app/accounts/${id}/tags`, { tags: "x".repeat(501) });
  expect(tooLong.status).toBe(400);
  expect(tooLong.html).toContain("at most 500 characters");
  expect((await browser.get(`/app/accounts/${id}/remove`)).html).toContain("Disconnect Ada?");
  const removed = await browser.post(`/app/accounts/${id}/remove`);
  expect(removed).toMatchObject({ status: 303, location: "/app/accounts?done=removed" });
  expect((await browser.get(`/app/accounts/${id}`)).status).toBe(404);
});

test("a sandbox account that cannot be made is refused in words", async () => {
  const { browser } = await signedIn();
  const page = await browser.post("/app/accounts", { platform: "nowhere" });
  expect(page.status).toBe(400);
  expect(page.html).toContain("Choose a platform");
  const off = harnessWith({ sandboxEnabled: false });
  const { browser: other } = await signedIn(off);
  expect((await other.get("/app/accounts")).html).not.toContain("sandbox account");
  const refused = await other.post("/app/accounts", { platform: "bluesky" });
  expect(refused.status).toBe(400);
  expect(refused.html).toContain("switched off");
});
