import { followersOf } from "../kit/audience.ts";
import { digitsOf, Logins } from "../kit/logins.ts";
import type { Call } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import { count, key, Table, text } from "../kit/table.ts";
import { badRequest, forbidden, refusal, unauthorized } from "./call.ts";
import { botIdOf } from "./identity.ts";

export const chats = new Table("telegram_chats", {
  id: key(),
  /** Empty without one. */
  username: text(),
  last_message_id: count(),
});

export interface Bot {
  id: string;
  token: string;
}

const FOR_EVER = Number.MAX_SAFE_INTEGER;

/** Source: Bot API server, ClientManager.cpp: a token with another shape never reaches a bot. */
const TOKEN = /^[1-9]\d*:[\w-]{24,}$/;

export async function authenticate({ req, env: { store, origin } }: Call): Promise<Bot> {
  const token = decodeURIComponent((req.param("bot") ?? "").slice("bot".length));
  if (!TOKEN.test(token)) throw refusal(404, "Not Found");
  const id = botIdOf(token);
  if (id === null) throw unauthorized();
  const logins = new Logins(store.sql, "telegram", origin);
  logins.save(token, "access", id, FOR_EVER);
  if (logins.liveNameOf(token, "access") === null) throw unauthorized();
  return { id, token };
}

type ChatType = "group" | "supergroup" | "channel";

type Standing = "writes" | "muted" | "left" | "kicked";

export interface Chat {
  id: string;
  type: ChatType;
  username: string | null;
  isForum: boolean;
  standing: Standing;
}

type Kind = Pick<Chat, "type" | "standing"> & { isForum?: true };

const CHANNEL: Kind = { type: "channel", standing: "writes" };

/** Public chats whose name ends so are not channels in which the bot posts. */
const BY_ENDING: Record<string, Kind> = {
  _group: { type: "supergroup", standing: "writes" },
  _forum: { type: "supergroup", standing: "writes", isForum: true },
  _muted: { type: "supergroup", standing: "muted" },
  _reader: { type: "channel", standing: "muted" },
  _left: { type: "channel", standing: "left" },
  _kicked: { type: "channel", standing: "kicked" },
};

/** Private chats whose id begins so exist. */
const BY_BEGINNING: Record<string, Kind> = {
  "-1009": CHANNEL,
  "-1008": { type: "supergroup", standing: "writes" },
  "-4": { type: "group", standing: "writes" },
};

/** Ids of groups that became supergroups. */
const UPGRADED = /^-5\d{3,}$/;

const USERNAME = /^@[a-z]\w{3,31}$/i;

const notFound = () => badRequest("chat not found");

async function idOfName(username: string): Promise<string> {
  return `-1001${await digitsOf("telegram", `chat ${username.toLowerCase()}`, 9)}`;
}

function toChat(id: string, username: string): Chat {
  const byName = Object.entries(BY_ENDING).find(([ending]) => username.endsWith(ending))?.[1];
  const byId = Object.entries(BY_BEGINNING).find(([beginning]) => id.startsWith(beginning))?.[1];
  const kind = username === "" ? byId : (byName ?? CHANNEL);
  if (!kind) throw notFound();
  return { isForum: false, ...kind, id, username: username || null };
}

/** @throws Refusal for an unknown chat, and for a group that has another id now */
export async function findChat({ store }: Call["env"], wanted: string): Promise<Chat> {
  if (UPGRADED.test(wanted)) {
    throw badRequest("group chat was upgraded to a supergroup chat", {
      parameters: { migrate_to_chat_id: Number(`-1008${wanted.slice(1)}`) },
    });
  }
  const isName = USERNAME.test(wanted);
  const id = isName ? await idOfName(wanted.slice(1)) : wanted;
  const known = chats.find(store, { id });
  if (known) return toChat(id, known.username);
  const chat = toChat(id, isName ? wanted.slice(1) : "");
  chats.insert(store, { id, username: chat.username ?? "" }, "OR IGNORE");
  return chat;
}

const titleOf = ({ username, id }: Chat): string =>
  username === null ? `Chat ${id.slice(-4)}` : `Chat of ${username}`;

export const briefly = (chat: Chat) => ({
  id: Number(chat.id),
  type: chat.type,
  title: titleOf(chat),
  ...(chat.username === null ? {} : { username: chat.username }),
  ...(chat.isForum ? { is_forum: true } : {}),
});

/** Everybody sees a public chat. */
export function toFullChat(chat: Chat): object {
  if (chat.username === null) requireMember(chat);
  const permissions = { can_send_messages: canWrite(chat), can_send_photos: canWrite(chat) };
  return { ...briefly(chat), ...(chat.type === "channel" ? {} : { permissions }) };
}

const canWrite = ({ standing }: Chat): boolean => standing === "writes";

export function toMember(chat: Chat, bot: Bot): object {
  const user = { id: Number(bot.id), is_bot: true, first_name: "Sandbox" };
  const { standing } = chat;
  if (standing === "left" || standing === "kicked") return { status: standing, user };
  if (chat.type !== "channel") return { status: "member", user };
  const can_post_messages = canWrite(chat);
  return { status: "administrator", user, can_manage_chat: true, can_post_messages };
}

export const membersOf = (chat: Chat): number => followersOf(`telegram ${chat.id}`);

export function requireMember({ type, standing }: Chat): void {
  if (standing === "left") throw forbidden(`bot is not a member of the ${type} chat`);
  if (standing === "kicked") throw forbidden(`bot was kicked from the ${type} chat`);
}

export function requireWriter(chat: Chat, kind: string): void {
  requireMember(chat);
  if (canWrite(chat)) return;
  if (chat.type === "channel") throw badRequest("need administrator rights in the channel chat");
  throw badRequest(`not enough rights to send ${kind} to the chat`);
}

/** Ids in one chat are consecutive. */
export function nextMessageIds(store: SandboxStore, { id }: Chat, howMany: number): number[] {
  const last = chats.find(store, { id })?.last_message_id ?? 0;
  chats.update(store, { id }, { last_message_id: last + howMany });
  return Array.from({ length: howMany }, (_, index) => last + index + 1);
}
