import { expect, test } from "vitest";
import { readDatabase } from "../../support/canaries.ts";
import { createMember, form, Harness } from "../../support/harness.ts";
import { CHAT, json, sent, TOKEN } from "./scripted.ts";

const SECRET = TOKEN.split(":")[1] ?? "";

const ANSWERS: Record<string, unknown> = {
  getMe: { id: 1, first_name: "Bot", username: "news_bot" },
  getChat: { id: Number(CHAT), type: "channel", title: "News", username: "news" },
  getChatMember: { status: "creator" },
  sendMessage: sent(7),
};

test("the token is in calls to Telegram alone, also where broken lines tell of the whole call", async () => {
  const harness = new Harness();
  const { token } = await createMember();
  let isBroken = false;
  const called: string[] = [];
  harness.network = async (input, init) => {
    const { url } = new Request(input, init);
    called.push(url);
    if (isBroken) throw new TypeError(`fetch failed: POST ${url}`);
    return json(ANSWERS[url.split("/").at(-1) ?? ""]);
  };
  const call = (method: string, path: string, options: object = {}) =>
    harness.call(method, path, { token, ...options });
  const connected = await call("POST", "/accounts", {
    json: { platform: "telegram", botToken: TOKEN, chatId: "@news" },
  });
  expect(connected).toMatchObject({ status: 200, body: { data: { profileImageUrl: null } } });
  const accountId: string = connected.body.data.id;
  const seen: unknown[] = [connected];
  for (const broken of [false, true]) {
    isBroken = broken;
    const body = form({ accountId, description: `Is it broken? ${broken}` });
    const { body: created } = await call("POST", "/upload", { body });
    await harness.drain(100);
    seen.push(await call("GET", `/upload/${created.data.uploadId}`));
  }
  seen.push(
    await call("POST", "/accounts", {
      json: { platform: "telegram", botToken: TOKEN, chatId: "@other" },
    }),
  );
  expect(called.every((url) => url.startsWith("https://api.telegram.org/"))).toBe(true);
  expect(called.filter((url) => url.includes(SECRET))).toHaveLength(called.length);
  expect(JSON.stringify([seen, harness.logs])).not.toContain(SECRET);
  expect(JSON.stringify(await readDatabase())).not.toContain(SECRET);
});
