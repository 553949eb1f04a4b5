import type { Fetch, MediaItem, Post } from "../../../src/platforms/connector.ts";
import { type DiscordSettings, settings } from "../../../src/platforms/discord/settings.ts";
import {
  answeringInOrder,
  type JobChange as CommonChange,
  jobOf,
  NOW,
  pushing,
  readCall,
} from "../../support/network.ts";

export { image, NOW, video } from "../../support/network.ts";

export const WEBHOOK = "webhooks/111111111111111111/222222222222222222";
export const BOT = "channels/111111111111111111/333333333333333333";
export const BOT_ID = "444444444444444444";
export const TOKEN = "a-secret-token-of-a-webhook";

export const network = answeringInOrder(readCall);

export const refusal = (status: number, code: number, message: string, more: object = {}) =>
  Response.json({ message, code, ...more }, { status });

export interface JobChange extends CommonChange {
  account?: string;
  replyTo?: { root: string; parent: string; latest: string };
}

export function post(change: JobChange = {}): Post<DiscordSettings, MediaItem> {
  const { title = null, description = "Hello", media = [] } = change;
  return { title, description, media, settings: settings.read(change.settings ?? {}).values };
}

export const job = (fetch: Fetch, { account = WEBHOOK, replyTo, ...change }: JobChange = {}) =>
  jobOf(fetch, change, {
    post: post(change),
    account: { platformAccountId: account, handle: null, service: null },
    accessToken: TOKEN,
    ...(replyTo ? { replyTo } : {}),
    ...pushing(),
  });

const EPOCH_MS = 1_420_070_400_000;

/** An id that Discord made so many seconds after `NOW`. */
export const idAt = (seconds: number, n = 0): string =>
  String((BigInt(NOW.getTime() + seconds * 1_000 - EPOCH_MS) << 22n) + BigInt(n));
