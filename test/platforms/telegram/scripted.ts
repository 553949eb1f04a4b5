import type { Fetch, MediaItem, Post } from "../../../src/platforms/connector.ts";
import { settings, type TelegramSettings } from "../../../src/platforms/telegram/settings.ts";
import {
  answeringByName,
  type Circumstances,
  jobOf,
  type PostChange,
  pushing,
  readCall,
} from "../../support/network.ts";

export { FACTS, image, type PostChange, video } from "../../support/network.ts";

export const TOKEN = "1234567890:AAbbccddeeffgghhiijjkkllmmnnooppqqr";
export const CHAT = "-1001234567890";

export const json = (result: unknown) => Response.json({ ok: true, result });

export const refused = (
  status: number,
  description: string,
  parameters?: object,
  headers: Record<string, string> = {},
) =>
  Response.json(
    { ok: false, error_code: status, description, ...(parameters ? { parameters } : {}) },
    { status, headers },
  );

const CHANNEL = { id: Number(CHAT), type: "channel", title: "News" };

export const sent = (message_id: number, chat: object = { ...CHANNEL, username: "news" }) => ({
  message_id,
  date: 1,
  chat,
});

/** Answers by the method's name. Unexpected calls fail the test. */
export const scriptedFetch = answeringByName(readCall, ({ path }) => path.split("/").at(-1) ?? "");

export const post = (change: PostChange = {}): Post<TelegramSettings, MediaItem> => ({
  title: null,
  description: "Hello",
  media: [],
  ...change,
  settings: settings.read(change.settings ?? {}).values,
});

export const job = (
  fetch: Fetch,
  change: Circumstances & { post?: PostChange; replyTo?: string } = {},
) =>
  jobOf(fetch, change, {
    post: post(change.post),
    account: { platformAccountId: CHAT, handle: "news", service: null },
    accessToken: TOKEN,
    ...(change.replyTo === undefined
      ? {}
      : { replyTo: { root: "1", parent: change.replyTo, latest: change.replyTo } }),
    ...pushing(),
  });
