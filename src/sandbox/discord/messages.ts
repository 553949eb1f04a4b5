import { now } from "../../core/clock.ts";
import { MINUTE } from "../../core/time.ts";
import { reactionsTo } from "../kit/audience.ts";
import { sealFile } from "../kit/files.ts";
import { randomDigits } from "../kit/ids.ts";
import type { Call, PostByHand } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import type { SentForm } from "../kit/streamed-form.ts";
import { flag, integer, json, key, optional, type RowOf, Table, text } from "../kit/table.ts";
import { unknownMessage } from "./call.ts";
import { FILES, fieldOf, type MessageInput } from "./input.ts";
import { type Place, usernameOf } from "./world.ts";

interface Attachment {
  id: string;
  filename: string;
  size: number;
  content_type: string;
  description: string | undefined;
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
function newSnowflake(store: SandboxStore): string {
  const id = ((BigInt(now().getTime()) - EPOCH_MS) << 22n) | BigInt(randomDigits(6));
  const last = messages.find(store, {}, "ORDER BY rowid DESC LIMIT 1");
  const after = last ? BigInt(last.id) + 1n : 0n;
  return String(id > after ? id : after);
}

/** "The past few minutes". Source: Discord, "Message Resource", `enforce_nonce`. */
const NONCE_MS = 3 * MINUTE;

/** @throws Refusal 10008 when the message with this nonce was deleted meanwhile */
export function findByNonce({ env }: Call, { authorId }: Place, nonce: string): Message | null {
  const own = { team_id: env.origin.teamId, author_id: authorId, nonce };
  const since = now().getTime() - NONCE_MS;
  const message = messages.find(env.store, own, "AND created_at > ?", since);
  if (message?.is_deleted) throw unknownMessage();
  return message;
}

interface NewMessage {
  input: MessageInput;
  files: SentForm["files"];
  nonce?: string | null;
  reference?: string | null;
  /** The message begins a thread, which has its id. */
  opensThread?: boolean;
  /** As it stands in the feed. */
  received: object;
}

export function saveMessage(
  { env }: Call,
  { world, authorId, isWebhook, channelId }: Place,
  { input, files, nonce = null, reference = null, opensThread, received }: NewMessage,
): Message {
  const { store, origin } = env;
  const kept = [...files].map(([field, { id, filename, mime, sha256, sizeBytes }]) => {
    const sent = input.attachments?.find((one) => fieldOf(one.id) === field);
    const file = sealFile(env, FILES, id, { mime, sha256, sizeBytes });
    const description = sent?.description ?? undefined;
    return {
      id: randomDigits(19),
      filename,
      size: sizeBytes,
      content_type: mime,
      description,
      file,
    };
  });
  const id = newSnowflake(store);
  const message: Message = {
    id,
    team_id: origin.teamId,
    channel_id: opensThread ? id : channelId,
    author_id: authorId,
    author: usernameOf(world),
    is_webhook: isWebhook,
    content: (input.content ?? "").trim(),
    nonce,
    attachments: kept.map(({ file: _, ...attachment }) => attachment),
    flags: input.flags ?? 0,
    reference,
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
    media: kept.map(({ file, description = "" }) => ({ id: file, alt: description })),
    url: `https://discord.com/channels/${world.guildId}/${message.channel_id}/${id}`,
    ...(reference ? { replyTo: reference } : {}),
  });
  return message;
}

export function show(message: Message): object {
  const { author_id, content, created_at, reference } = message;
  const { likes } = reactionsTo(`discord ${author_id} ${content}`, created_at);
  return {
    id: message.id,
    channel_id: message.channel_id,
    author: { id: author_id, username: message.author, bot: true },
    ...(message.is_webhook ? { webhook_id: author_id } : {}),
    content,
    timestamp: new Date(created_at).toISOString().replace("Z", "000+00:00"),
    flags: message.flags,
    embeds: [],
    attachments: message.attachments,
    ...(message.nonce === null ? {} : { nonce: message.nonce }),
    ...(reference ? { message_reference: { message_id: reference } } : {}),
    ...(likes > 0 ? { reactions: [{ count: likes, emoji: { id: null, name: "❤️" } }] } : {}),
  };
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
