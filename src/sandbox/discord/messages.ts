import { now } from "../../core/clock.ts";
import { MINUTE } from "../../core/time.ts";
import { reactionsTo } from "../kit/audience.ts";
import { keepFile, storeFile } from "../kit/files.ts";
import { randomDigits } from "../kit/ids.ts";
import type { Call, PostByHand } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import { flag, integer, json, key, optional, type RowOf, Table, text } from "../kit/table.ts";
import { tooLarge, unknownMessage } from "./call.ts";
import { editInput, type MessageInput, readInput, requireMessage, type SentFile } from "./input.ts";
import { usernameOf, type World } from "./world.ts";

interface Attachment {
  id: string;
  filename: string;
  size: number;
  content_type: string;
  description: string | undefined;
  url: string;
  file: number;
}

export const messages = new Table(
  "discord_messages",
  {
    id: key(),
    team_id: integer(),
    channel_id: text(),
    author_id: text(),
    author: text(),
    is_webhook: flag(),
    content: text(),
    nonce: optional(text()),
    attachments: json<Attachment[]>(),
    flags: integer(),
    reference: optional(text()),
    created_at: integer(),
    is_deleted: flag(),
  },
  { indexes: { by_channel: "team_id, channel_id, created_at" } },
);

export type Message = RowOf<typeof messages>;

/** Source: Discord, "Reference", snowflakes. */
const EPOCH_MS = 1_420_070_400_000n;

/** Ids ascend, and hold the time. */
export function newSnowflake(store: SandboxStore): string {
  const id = ((BigInt(now().getTime()) - EPOCH_MS) << 22n) | BigInt(randomDigits(6));
  const last = messages.find(store, {}, "ORDER BY rowid DESC LIMIT 1");
  const after = last ? BigInt(last.id) + 1n : 0n;
  return String(id > after ? id : after);
}

/** "The past few minutes". Source: Discord, "Message Resource", `enforce_nonce`. */
const NONCE_MS = 3 * MINUTE;

/** @throws Refusal 10008 when the message with this nonce was deleted meanwhile */
export function findByNonce(call: Call, { botId }: World, nonce: string): Message | null {
  const own = { team_id: call.env.origin.teamId, author_id: botId, nonce };
  const since = now().getTime() - NONCE_MS;
  const message = messages.find(call.env.store, own, "AND created_at > ?", since);
  if (message?.is_deleted) throw unknownMessage();
  return message;
}

async function storeAttachments(
  call: Call,
  channelId: string,
  files: readonly SentFile[],
  { attachments = [] }: MessageInput,
): Promise<Attachment[]> {
  const owner = { platform: "discord", owner: channelId } as const;
  const stored: Attachment[] = [];
  for (const { blob, filename, index } of files) {
    const file = await storeFile(call.env, owner, blob.stream(), blob.size);
    if (file === "too_large") throw tooLarge();
    const id = randomDigits(19);
    const name = filename.replace(/[^\w.-]/g, "_");
    stored.push({
      id,
      filename: name,
      size: blob.size,
      content_type: blob.type,
      description: attachments.find((one) => one.id === index)?.description ?? undefined,
      url: `https://cdn.discordapp.com/attachments/${channelId}/${id}/${name}?ex=0&is=0&hm=0`,
      file: keepFile(call.env, owner, file, () => true) ?? file.id,
    });
  }
  return stored;
}

interface NewMessage {
  id?: string;
  channelId: string;
  isWebhook: boolean;
  input: MessageInput;
  files: readonly SentFile[];
  nonce?: string | null;
  reference?: string | null;
  /** As it stands in the feed. */
  received: object;
  username?: string | undefined;
}

export async function saveMessage(
  call: Call,
  world: World,
  { channelId, isWebhook, input, files, received, ...more }: NewMessage,
): Promise<Message> {
  const { store, origin } = call.env;
  const attachments = await storeAttachments(call, channelId, files, input);
  const id = more.id ?? newSnowflake(store);
  const message: Message = {
    id,
    team_id: origin.teamId,
    channel_id: channelId,
    author_id: isWebhook ? world.webhookId : world.botId,
    author: more.username ?? usernameOf(world),
    is_webhook: isWebhook,
    content: (input.content ?? "").trim(),
    nonce: more.nonce ?? null,
    attachments,
    flags: input.flags ?? 0,
    reference: more.reference ?? null,
    created_at: now().getTime(),
    is_deleted: false,
  };
  messages.insert(store, message);
  store.savePost(origin, {
    platform: "discord",
    key: id,
    author: message.author,
    text: message.content,
    fields: { ...received },
    media: attachments.map(({ file, description }) => ({ id: file, alt: description ?? "" })),
    url: `https://discord.com/channels/${world.guildId}/${channelId}/${id}`,
    ...(message.reference ? { replyTo: message.reference } : {}),
  });
  return message;
}

/** @throws Refusal 10008 for another channel's message, and for one that is gone */
export function requireMessageOf(call: Call, authorId: string | null, channelId: string): Message {
  const id = call.req.param("message") ?? "";
  const own = { id, team_id: call.env.origin.teamId, channel_id: channelId, is_deleted: false };
  const message = messages.find(call.env.store, own);
  if (!message || (authorId !== null && message.author_id !== authorId)) throw unknownMessage();
  return message;
}

/** The webhook of a message from one has no nonce. */
export function show(message: Message, withReactions = false): Record<string, unknown> {
  const { likes } = reactionsTo(
    `discord ${message.author_id} ${message.content}`,
    message.created_at,
  );
  const isSeen = withReactions && likes > 0;
  return {
    id: message.id,
    type: message.reference ? 19 : 0,
    channel_id: message.channel_id,
    author: { id: message.author_id, username: message.author, bot: true },
    ...(message.is_webhook ? { webhook_id: message.author_id } : {}),
    content: message.content,
    timestamp: new Date(message.created_at).toISOString().replace("Z", "000+00:00"),
    edited_timestamp: null,
    flags: message.flags,
    embeds: [],
    mentions: [],
    attachments: message.attachments.map(({ file: _, ...attachment }) => attachment),
    ...(message.nonce === null ? {} : { nonce: message.nonce }),
    ...(message.reference ? { message_reference: { message_id: message.reference } } : {}),
    ...(isSeen ? { reactions: [{ count: likes, emoji: { id: null, name: "❤️" } }] } : {}),
  };
}

function changeMessage(call: Call, { id }: Message, { content, flags }: MessageInput): void {
  const { store } = call.env;
  const changed = {
    ...(content === undefined ? {} : { content: (content ?? "").trim() }),
    ...(flags === undefined ? {} : { flags }),
  };
  if (Object.keys(changed).length === 0) return;
  messages.update(store, { id }, changed);
  store.changeFields("discord", id, changed, changed.content);
}

/** Another program posts by the same webhook or bot. */
export const postByHand: PostByHand = ({ store }, like, content) => {
  const row = messages.find(store, { id: like.key });
  if (!row) return null;
  const id = newSnowflake(store);
  const created_at = now().getTime();
  messages.insert(store, { ...row, id, content, attachments: [], nonce: null, created_at });
  return { key: id, url: like.url.replace(/\d+$/, id) };
};

type Find = (call: Call, isOwn: boolean) => Promise<Message>;

/** The three calls about one message, which webhooks and bots have alike. */
export const messageCalls = (find: Find) => ({
  readMessage: async (call: Call): Promise<Response> =>
    Response.json(show(await find(call, false), true)),

  async editMessage(call: Call): Promise<Response> {
    const message = await find(call, true);
    const { fields, files } = await readInput(call, editInput);
    requireMessage(fields, files, true);
    changeMessage(call, message, fields);
    return Response.json(show(await find(call, true)));
  },

  async removeMessage(call: Call): Promise<Response> {
    const { id } = await find(call, true);
    messages.update(call.env.store, { id }, { is_deleted: true });
    call.env.store.deletePost("discord", id);
    return new Response(null, { status: 204 });
  },
});
