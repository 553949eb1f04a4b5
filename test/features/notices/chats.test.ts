import { beforeEach, expect, test } from "vitest";
import { Desk, ORIGIN } from "../../support/desk.ts";
import type { Member } from "../../support/harness.ts";

const SLACK = "https://hooks.slack.com/services/T0/B0/secret";
const DISCORD = "https://discord.com/api/webhooks/123/secret-token_1";
const TELEGRAM =
  "https://api.telegram.org/bot123:SECRET/sendMessage?chat_id=-1001&message_thread_id=7";

const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

let desk: Desk;
let author: Member;

beforeEach(async () => {
  desk = await Desk.open();
  author = await desk.join();
});

const decide = async (columns: Record<string, string | null> = {}) => {
  const id = await desk.post({ created_by: author.userId, ...columns });
  await desk.tell(id, "upload.changes_requested", { comment: "Change *it* <b> @everyone." });
  await desk.harness.drainNotices();
  return id;
};

const sentTo = async (own: string) => {
  await desk.set({ messaging: { own } }, author);
  const id = await decide();
  const sent = desk.posts.at(-1);
  return { id, url: sent?.url, body: JSON.parse(textOf(sent?.bytes)) };
};

/** docs.slack.dev, "Sending messages using incoming webhooks", and "Layout blocks". */
test("Slack gets blocks, and a text for its notification", async () => {
  const { id, url, body } = await sentTo(SLACK);
  expect(url).toBe(SLACK);
  expect(body.text).toBe("A client asked for changes to a post");
  const [header, section] = body.blocks;
  expect(header).toEqual({
    type: "header",
    text: { type: "plain_text", text: body.text, emoji: false },
  });
  expect(section.text.type).toBe("mrkdwn");
  expect(section.text.text).toContain(`<${ORIGIN}/app/uploads/${id}|“Spring sale”>`);
  expect(section.text.text).toContain("> Change *it* &lt;b&gt; @everyone.");
});

/** discord.com/developers/docs, "Execute Webhook" and "Embed Limits". */
test("Discord gets an embed with the address, and mentions nobody", async () => {
  const { id, url, body } = await sentTo(DISCORD);
  expect(url).toBe(DISCORD);
  expect(body.content).toBe("**A client asked for changes to a post**");
  expect(body.embeds).toHaveLength(1);
  const [embed] = body.embeds;
  expect(embed).toMatchObject({ title: "“Spring sale”", url: `${ORIGIN}/app/uploads/${id}` });
  expect(embed.description).toContain("\\*it\\*");
  expect(body.allowed_mentions).toEqual({ parse: [] });
});

/** core.telegram.org/bots/api, "sendMessage" and "HTML style". */
test("Telegram gets HTML for its chat and topic", async () => {
  const { id, url, body } = await sentTo(TELEGRAM);
  expect(url).toBe("https://api.telegram.org/bot123:SECRET/sendMessage");
  expect(body).toMatchObject({
    chat_id: "-1001",
    message_thread_id: 7,
    parse_mode: "HTML",
    link_preview_options: { is_disabled: true },
  });
  expect(body.text).toContain(`<a href="${ORIGIN}/app/uploads/${id}">“Spring sale”</a>`);
  expect(body.text).toContain("<blockquote>Change *it* &lt;b&gt; @everyone.</blockquote>");
});

test("long texts keep within what each chat takes", async () => {
  await desk.set({ messaging: { own: TELEGRAM } }, author);
  for (let i = 0; i < 12; i++) {
    const id = await desk.post({ created_by: author.userId, description: "&".repeat(300) });
    await desk.tell(id, "upload.changes_requested", { comment: "&".repeat(2_000) });
  }
  await desk.harness.drainNotices();
  const { text } = JSON.parse(textOf(desk.posts.at(-1)?.bytes));
  expect(text.length).toBeLessThanOrEqual(4_096);
  expect(text).toContain("And 2 more.");
});

const REASONS: [string, string, number, string, string][] = [
  [
    "Telegram",
    TELEGRAM,
    400,
    '{"ok":false,"description":"Bad Request: chat not found"}',
    "It answered 400: Bad Request: chat not found.",
  ],
  [
    "Discord",
    DISCORD,
    404,
    '{"message": "Unknown Webhook", "code": 10015}',
    "It answered 404: Unknown Webhook.",
  ],
  ["Slack", SLACK, 410, "channel_is_archived", "It answered 410: channel_is_archived."],
  ["a page", SLACK, 403, "<html>Forbidden</html>", "It answered 403."],
];

test.for(REASONS)("the settings show why %s refused", async ([, own, status, answer, error]) => {
  await desk.set({ messaging: { own } }, author);
  desk.reply = () => new Response(answer, { status });
  await decide();
  expect((await desk.settings(author)).messaging.own.error).toBe(error);
});

test("a chat that names the seconds to wait in its answer is left alone until then", async () => {
  await desk.set({ messaging: { own: TELEGRAM } }, author);
  const busy = '{"ok":false,"parameters":{"retry_after":600}}';
  desk.reply = () => new Response(busy, { status: 429 });
  await decide();
  desk.reply = () => new Response("{}");
  desk.harness.advance(300);
  await desk.harness.drainNotices();
  expect(desk.posts).toHaveLength(1);
  desk.harness.advance(600);
  await desk.harness.tick();
  await desk.harness.drainNotices();
  expect(desk.posts).toHaveLength(2);
});

test.for([
  ["https://discord.com/channels/1/2", "discord.com/api/webhooks"],
  ["https://api.telegram.org/bot123:SECRET/getMe?chat_id=1", "sendMessage?chat_id"],
  ["https://api.telegram.org/bot123:SECRET/sendMessage", "sendMessage?chat_id"],
])("%s is refused when it is set", async ([own, message]) => {
  const answer = await desk.harness.call("PATCH", "/settings", {
    token: author.token,
    json: { messaging: { own } },
  });
  expect(answer.status).toBe(400);
  expect(answer.body.errors[0].message).toContain(message);
});

test("notices wait until quiet hours end, of a person and of the team's chat", async () => {
  const quiet = { from: "08:00", to: "10:00", timezone: "UTC" };
  await desk.set({ messaging: { own: SLACK }, quietHours: { own: quiet } }, author);
  await desk.set({ messaging: { team: DISCORD } });
  await decide();
  expect(desk.posts.map(({ url }) => url)).toEqual([DISCORD]);
  expect(desk.mails).toHaveLength(0);
  await desk.set({ quietHours: { team: quiet } });
  await decide();
  expect(desk.posts).toHaveLength(1);
  expect((await desk.settings(author)).quietHours).toEqual({ own: quiet, team: quiet });
});
