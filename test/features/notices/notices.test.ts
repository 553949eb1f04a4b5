import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { OWN_CALLS, sendNotices } from "../../../src/features/notices/deliver.ts";
import { handleNotify } from "../../../src/features/notices/jobs.ts";
import { CHAT_URL, Desk, FROM, ORIGIN } from "../../support/desk.ts";
import type { Member } from "../../support/harness.ts";

let desk: Desk;
let author: Member;

beforeEach(async () => {
  desk = await Desk.open();
  author = await desk.join();
});

const APPROVED = "upload.approved";
const CHANGES = "upload.changes_requested";
const FAILED = "upload.failed";

test("the author is mailed what happened, of which post, and where it stands", async () => {
  const id = await desk.post({ created_by: author.userId });
  await desk.tell(id, CHANGES);
  expect(desk.mails).toEqual([]);
  await desk.harness.drainNotices();
  expect(desk.mails).toEqual([
    {
      from: FROM,
      to: await desk.emailOf(author),
      subject: "A client asked for changes to a post",
      text: `A client asked for changes to a post:

“Spring sale”
Ada ${desk.owner.teamId} (Bluesky)
Please change the tag.
${ORIGIN}/app/uploads/${id}

Choose which notices you get in the settings: ${ORIGIN}/app/settings#notifications`,
    },
  ]);
  expect(await desk.waiting()).toBe(0);
});

type Data = Record<string, unknown>;

test.each<[string, Parameters<Desk["tell"]>[1], Data, subject: string, text: string]>([
  ["an approval", APPROVED, {}, "A client approved a post", "It is being published now."],
  [
    "an approval for later",
    APPROVED,
    { reviewedBy: "team", scheduledFor: "2026-12-24T17:00:00.000Z" },
    "Your team approved a post",
    "It goes out on Thu, 24 Dec 2026, 18:00 (Europe/Berlin).",
  ],
  ["a failure", FAILED, {}, "A post could not be published", "The platform refused the post."],
])("%s is told in its own words", async (_, name, data, subject, text) => {
  await desk.set({ zone: "Europe/Berlin" });
  await desk.tell(await desk.post({ created_by: author.userId }), name, data);
  await desk.harness.drainNotices();
  expect(desk.mails).toMatchObject([{ subject, text: expect.stringContaining(text) }]);
});

const switchOff = (kind: string) => async () => {
  await desk.set({ notifications: { [kind]: { email: false } } }, author);
};
const leaveTeam = async () => {
  await desk.harness.call("DELETE", `/teams/members/${author.userId}`, desk.owner);
};

type Case = [string, name: Parameters<Desk["tell"]>[1], (() => Promise<unknown>) | null, boolean];

test.each<Case>([
  ["of a decision", APPROVED, null, true],
  ["of a failure", FAILED, null, true],
  ["of a decision once that is off", APPROVED, switchOff("reviewDecisions"), false],
  ["of a decision while failures are off", APPROVED, switchOff("failures"), true],
  ["of a failure once that is off", FAILED, switchOff("failures"), false],
  ["of anything once they left the team", APPROVED, leaveTeam, false],
])("the author is told %s: %s", async (_, name, before, getsNotice) => {
  const id = await desk.post({ created_by: author.userId });
  await before?.();
  await desk.tell(id, name);
  await desk.harness.drainNotices();
  expect(desk.mails.map(({ to }) => to)).toEqual(getsNotice ? [await desk.emailOf(author)] : []);
  expect(await desk.waiting()).toBe(0);
});

test.each<[string, () => Promise<unknown>]>([
  ["has left the team", leaveTeam],
  ["has switched it off", switchOff("reviewDecisions")],
  ["has removed the post", async () => env.DB.exec("UPDATE uploads SET deleted_at = 1")],
])("nobody is told who %s while the notice waited to be tried again", async (_, change) => {
  desk.harness.deps.email = { send: () => Promise.reject(new Error("down")) } as never;
  await desk.tell(await desk.post({ created_by: author.userId }), APPROVED);
  await desk.harness.drainNotices();
  expect(await desk.waiting()).toBe(1);
  desk.harness.deps.email = { send: async (mail: never) => desk.mails.push(mail) } as never;
  await change();
  await desk.pass(3);
  expect(desk.mails).toEqual([]);
  expect(await desk.waiting()).toBe(0);
});

test("nobody is told of their own decision, nor of a post that has no author", async () => {
  const own = await desk.post({ created_by: author.userId });
  await desk.tell(own, APPROVED, { by: author.userId, reviewedBy: "team" });
  await desk.tell(await desk.post({ created_by: null }), APPROVED);
  await desk.harness.drainNotices();
  expect(desk.mails).toEqual([]);
  await desk.tell(own, CHANGES, { by: desk.owner.userId, reviewedBy: "team" });
  await desk.harness.drainNotices();
  expect(desk.mails).toHaveLength(1);
});

test("an event that nobody has to know of leaves nothing to be told", async () => {
  const id = await desk.post({ created_by: author.userId });
  await desk.tell(id, "upload.cancelled");
  expect(await desk.waiting()).toBe(0);
  expect(desk.harness.sentNotices).toEqual([]);
});

test("a post that fails again after a retry is told of once; another one by itself", async () => {
  const [id, other] = [
    await desk.post({ created_by: author.userId }),
    await desk.post({ created_by: author.userId }),
  ];
  await desk.tell(id, FAILED);
  await desk.harness.drainNotices();
  desk.harness.advance(3_600);
  await desk.tell(id, FAILED);
  await desk.tell(other, FAILED);
  await desk.harness.drainNotices();
  expect(desk.mails).toHaveLength(2);
  expect(desk.mails[1]?.text).toContain(`/app/uploads/${other}`);
  expect(desk.mails[1]?.text).not.toContain(`/app/uploads/${id}`);
});

test("fifty decisions at once are one mail, which lists ten", async () => {
  await desk.set({ messaging: { own: CHAT_URL } }, author);
  for (let i = 0; i < 50; i++) {
    await desk.tell(await desk.post({ created_by: author.userId }), APPROVED);
  }
  await desk.harness.drainNotices();
  expect(desk.mails).toMatchObject([{ subject: "A client approved 50 posts" }]);
  expect(desk.mails[0]?.text.match(/app\/uploads\//g)).toHaveLength(10);
  expect(desk.mails[0]?.text).toContain("And 40 more.");
  expect(desk.chats()).toHaveLength(1);
  expect(await desk.waiting()).toBe(0);
});

test("two runs at once tell everybody once", async () => {
  for (let i = 0; i < 20; i++) {
    const someone = await desk.join();
    await desk.tell(await desk.post({ created_by: someone.userId }), APPROVED);
  }
  desk.harness.advance(60);
  const run = () => sendNotices(desk.harness.deps);
  for (let i = 0; i < 4; i++) await Promise.all([run(), run(), run()]);
  expect(new Set(desk.mails.map(({ to }) => to)).size).toBe(20);
  expect(desk.mails).toHaveLength(20);
  expect(await desk.waiting()).toBe(0);
});

test("what one run has no room for is told by the next, and each person once", async () => {
  for (let i = 0; i < 30; i++) {
    const someone = await desk.join();
    await desk.tell(await desk.post({ created_by: someone.userId }), APPROVED);
  }
  await desk.harness.settle();
  desk.harness.advance(10);
  await desk.harness.deliverNotices();
  expect(desk.mails).toHaveLength(12);
  await desk.harness.drainNotices();
  expect(new Set(desk.mails.map(({ to }) => to)).size).toBe(30);
  expect(desk.mails).toHaveLength(30);
});

test("a batch tells its notices beside its deliveries; one whose calls are spent, by another message", async () => {
  await desk.tell(await desk.post({ created_by: author.userId }), APPROVED);
  await desk.harness.settle();
  desk.harness.sentNotices.length = 0;
  await handleNotify(desk.harness.deps, OWN_CALLS);
  expect(desk.mails).toEqual([]);
  expect(desk.harness.sentNotices).toHaveLength(1);
  const messages = [{ kind: "deliver", due: [[1, "evt_1"]] }, { kind: "notify" }] as const;
  await desk.harness.consume(messages as never, "akimbo-webhooks");
  await desk.harness.settle();
  expect(desk.mails).toHaveLength(1);
});

test("a lost message is made up for by the tick, and a run that broke off likewise", async () => {
  await desk.tell(await desk.post({ created_by: author.userId }), APPROVED);
  await desk.harness.settle();
  desk.harness.sentNotices.length = 0;
  await desk.pass(1);
  expect(desk.mails).toHaveLength(1);
  const request = Promise.withResolvers<void>();
  const send = () => {
    request.resolve();
    return new Promise(() => {});
  };
  const broken = { ...desk.harness.deps, email: { send } as never };
  await desk.tell(await desk.post({ created_by: author.userId }), APPROVED);
  void sendNotices(broken);
  await request.promise;
  await desk.pass(4);
  expect(desk.mails).toHaveLength(2);
});

test("a notice is tried six times at most, and never after a day", async () => {
  await desk.set({ messaging: { own: CHAT_URL } }, author);
  await desk.set({ notifications: { reviewDecisions: { email: false } } }, author);
  desk.reply = () => new Response("down", { status: 503 });
  await desk.tell(await desk.post({ created_by: author.userId }), APPROVED);
  await desk.harness.drainNotices();
  await desk.pass(9 * 60);
  expect(desk.posts).toHaveLength(6);
  expect(await desk.waiting()).toBe(0);
  await desk.tell(await desk.post({ created_by: author.userId }), APPROVED);
  await desk.harness.settle();
  desk.harness.sentNotices.length = 0;
  desk.harness.advance(86_400);
  await desk.pass(2);
  expect(desk.posts).toHaveLength(6);
  expect(await desk.waiting()).toBe(0);
}, 60_000);

test("where no mail goes out nobody is addressed by it, and the local server shows it", async () => {
  desk.harness.deps.email = null;
  const id = await desk.post({ created_by: author.userId });
  await desk.tell(id, APPROVED);
  await desk.harness.drainNotices();
  const shown = { event: "mail.not_sent", subject: "A client approved a post" };
  expect(desk.harness.logs.filter((entry) => "to" in entry)).toMatchObject([shown]);
  desk.harness.logs.length = 0;
  desk.harness.deps.config = { ...desk.harness.deps.config, isDevelopment: false };
  await desk.tell(id, APPROVED);
  await desk.harness.drainNotices();
  expect(desk.harness.logs).toEqual([]);
  expect(await desk.waiting()).toBe(0);
});

test("a webhook that is switched off is told to the owner and the admins", async () => {
  const admin = await desk.join("ADMIN");
  const hook = { url: "https://receiver.example/hook", events: ["suggestion.created"] };
  const { body } = await desk.harness.call("POST", "/webhooks", { ...desk.owner, json: hook });
  const off = () =>
    env.DB.prepare(
      "UPDATE webhooks SET is_active = 0, is_notice_due = 1, updated_at = ? WHERE id = ?",
    )
      .bind(Date.now(), body.data.id)
      .run();
  await off();
  await desk.pass(2);
  const people = [await desk.emailOf(desk.owner), await desk.emailOf(admin)];
  expect(desk.mails.map(({ to }) => to).toSorted()).toEqual(people.toSorted());
  expect(desk.mails[0]).toMatchObject({ subject: "A webhook was switched off" });
  expect(desk.mails[0]?.text).toContain(hook.url);
  await desk.harness.call("PATCH", `/webhooks/${body.data.id}`, {
    token: desk.owner.token,
    json: { isActive: true },
  });
  await off();
  await desk.harness.call("PATCH", `/webhooks/${body.data.id}`, {
    token: desk.owner.token,
    json: { isActive: true },
  });
  await desk.pass(2);
  expect(desk.mails).toHaveLength(2);
  expect(await desk.waiting()).toBe(0);
});

test("the sender of the newest review link is told as the author is; once where they are both", async () => {
  const [older, sender] = [await desk.join("ADMIN"), await desk.join("ADMIN")];
  const id = await desk.post({ created_by: author.userId });
  const link = async (by: number) => {
    const at = Date.now();
    const made = await env.DB.prepare(
      "INSERT INTO review_links (team_id, upload_ids, created_by, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
    )
      .bind(desk.owner.teamId, JSON.stringify([id]), by, at, at + 1_000_000)
      .run();
    await env.DB.prepare("INSERT INTO review_posts VALUES (?, ?, ?, ?)")
      .bind(desk.owner.teamId, id, made.meta.last_row_id, at + 1_000_000)
      .run();
  };
  await link(older.userId);
  await link(sender.userId);
  await desk.tell(id, APPROVED);
  await desk.harness.drainNotices();
  const both = [await desk.emailOf(author), await desk.emailOf(sender)];
  expect(desk.mails.map(({ to }) => to).toSorted()).toEqual(both.toSorted());
  await link(author.userId);
  await desk.tell(id, CHANGES);
  await desk.harness.drainNotices();
  expect(desk.mails).toHaveLength(3);
});
