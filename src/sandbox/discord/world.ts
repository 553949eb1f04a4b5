import { randomHex } from "../../core/ids.ts";
import { toLabel } from "../kit/label.ts";
import { readSandboxName } from "../kit/login.ts";
import { digitsOf, Logins } from "../kit/logins.ts";
import type { Call } from "../kit/simulator.ts";
import { refusal, unauthorized, unknownWebhook } from "./call.ts";

/** A server with one channel, its webhook and its bot. The name of the account says what they are like. */
export interface World {
  name: string;
  guildId: string;
  channelId: string;
  webhookId: string;
  botId: string;
  /** An existing thread of the channel. */
  threadId: string;
  isForum: boolean;
  needsTag: boolean;
  tagId: string;
}

export interface Caller {
  world: World;
  /** As `Logins` has it. */
  token: string;
}

/** Who calls about messages, and where they are. */
export interface Place extends Caller {
  isWebhook: boolean;
  authorId: string;
  /** Of the channel or of a thread. */
  channelId: string;
  isThread: boolean;
}

/** Of each forum: neither Discord nor the sandbox shows it on a page. */
const TAG_ID = "900000000000000001";

const idOf = (what: string, name: string) => digitsOf("discord", `${what} ${name}`, 18);

export async function worldOf(name: string): Promise<World> {
  const whats = ["guild", "channel", "webhook", "bot", "thread"];
  const [guildId = "", channelId = "", webhookId = "", botId = "", threadId = ""] =
    await Promise.all(whats.map((what) => idOf(what, name)));
  return {
    ...{ name, guildId, channelId, webhookId, botId, threadId, tagId: TAG_ID },
    isForum: /\bforum\b/i.test(name),
    needsTag: /\btagged\b/i.test(name),
  };
}

const isBotName = (name: string): boolean => /\bbot\b/i.test(name);

const CODEC = { alphabet: "base64url", omitPadding: true } as const;
const encode = (text: string): string => new TextEncoder().encode(text).toBase64(CODEC);

function decode(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(text, CODEC));
  } catch {
    return "";
  }
}

/** Discord's tokens stay. Here each login has one of its own, because revoked tokens stay revoked. */
const secretOf = (name: string): string =>
  encode(`${encodeURIComponent(name.toWellFormed())}/${randomHex(12)}`);

/** An account with the word bot in its name logs in by a bot, others by a webhook. */
export async function sandboxLogin(name: string): Promise<Record<string, string>> {
  const { webhookId, botId, channelId } = await worldOf(name);
  if (!isBotName(name)) {
    return { webhookUrl: `https://discord.com/api/webhooks/${webhookId}/${secretOf(name)}` };
  }
  return { botToken: `${encode(botId)}.${randomHex(3)}.${secretOf(name)}`, channelId };
}

const LOGIN = /^[^/]+\/[0-9a-f]{24}$/;

/** Null for a deleted webhook and a token that was reset. */
async function findCaller(call: Call, secret: string): Promise<Caller | null> {
  const login = decode(secret);
  const name = LOGIN.test(login) ? readSandboxName(login) : null;
  if (name === null) return null;
  const token = `sandbox.discord.${login}`;
  const { store, origin } = call.env;
  if (new Logins(store.sql, "discord", origin).liveNameOf(token, "access") === null) return null;
  return { world: await worldOf(name), token };
}

/** @throws Refusal 50027 for a wrong token, 10015 for a deleted webhook or another id */
export async function requireWebhook(call: Call): Promise<Caller> {
  const secret = call.req.param("token") ?? "";
  if (!LOGIN.test(decode(secret))) throw refusal(401, 50027, "Invalid Webhook Token");
  const caller = await findCaller(call, secret);
  const isHere = caller?.world.webhookId === call.req.param("webhook");
  if (!caller || !isHere) throw unknownWebhook();
  return caller;
}

const BOT = /^Bot [\w-]+\.[\w-]+\.([\w-]+)$/;

/** @throws Refusal 401 without a valid token of a bot */
export async function requireBot(call: Call): Promise<Caller> {
  const [, secret = ""] = BOT.exec(call.req.header("authorization") ?? "") ?? [];
  const caller = await findCaller(call, secret);
  if (!caller) throw unauthorized();
  return caller;
}

export const usernameOf = ({ name }: World): string => toLabel(name);
