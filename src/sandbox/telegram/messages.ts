import * as z from "zod";
import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import { randomDigits } from "../kit/ids.ts";
import { type Call, deliver } from "../kit/simulator.ts";
import { steer } from "../kit/steered.ts";
import { withoutExpiry } from "../kit/steering.ts";
import { integer as column, json, optional, type RowOf, Table, text } from "../kit/table.ts";
import { badRequest, chatId, flag, inJson, integer, ok, REFUSALS, readInput } from "./call.ts";
import {
  authenticate,
  type Bot,
  briefly,
  type Chat,
  findChat,
  nextMessageIds,
  requireWriter,
} from "./chats.ts";
import { type Form, readParameters } from "./form.ts";
import {
  type AlbumItem,
  album,
  KIND_OF,
  type MediaType,
  options,
  type Sent,
  take,
  takeAlbum,
} from "./media.ts";
import { entities, type Formatted, formatted, MAX_CAPTION, message } from "./texts.ts";

export const messages = new Table(
  "telegram_messages",
  {
    chat_id: text(),
    message_id: column(),
    bot_id: text(),
    /** Of the sandbox's feed, in which an album is one post. */
    post_key: text(),
    /** Null for a message of text alone. */
    media: optional(text()),
    text: text(),
    entities: json<Formatted["entities"]>(),
    created_at: column(),
  },
  { constraint: "PRIMARY KEY (chat_id, message_id)", indexes: { by_post: "post_key" } },
);

export type Message = RowOf<typeof messages>;

const GENERAL_TOPIC = 1;

const target = {
  chat_id: chatId,
  message_thread_id: integer.optional(),
  disable_notification: flag,
  protect_content: flag,
  reply_parameters: inJson(
    z.looseObject({ message_id: integer, allow_sending_without_reply: flag }).optional(),
  ),
};

const textInput = z.looseObject({
  ...target,
  text: z.string().optional(),
  entities,
  link_preview_options: inJson(z.looseObject({ is_disabled: flag }).optional()),
});

const mediaInput = z.looseObject({
  ...target,
  caption: z.string().optional(),
  caption_entities: entities,
  ...options,
});

const albumInput = z.looseObject({ ...target, media: album });

type Target = z.output<z.ZodObject<typeof target>>;

interface Draft {
  chat: Chat;
  bot: Bot;
  input: Target;
  content: Formatted;
  media: Sent[];
}

const toChatAndBot = async (call: Call, { chat_id }: Target) => ({
  bot: await authenticate(call),
  chat: await findChat(call.env, chat_id),
});

function requireTopic({ isForum }: Chat, { message_thread_id: topic }: Target): void {
  if (isForum && topic === GENERAL_TOPIC) throw badRequest("message thread not found");
}

function parentOf(call: Call, { chat, input }: Draft): Message | null {
  if (!input.reply_parameters) return null;
  const { message_id, allow_sending_without_reply } = input.reply_parameters;
  const parent = messages.find(call.env.store, { chat_id: chat.id, message_id });
  if (!parent && !allow_sending_without_reply) throw badRequest("message to be replied not found");
  return parent;
}

const addressOf = ({ username, type, id }: Chat, messageId: number): string => {
  if (username !== null) return `https://t.me/${username}/${messageId}`;
  return type === "group" ? "" : `https://t.me/c/${id.slice("-100".length)}/${messageId}`;
};

function send(call: Call, draft: Draft): Response {
  const { chat, bot, input, content, media } = draft;
  const { store, origin } = call.env;
  requireWriter(chat, media[0] ? KIND_OF[media[0].type] : "text messages");
  requireTopic(chat, input);
  const parent = parentOf(call, draft);
  const steered = { key: chat.id, text: withoutExpiry(content.text), token: bot.token };
  const reply = steer(call.env, REFUSALS, steered);
  const ids = nextMessageIds(store, chat, Math.max(media.length, 1));
  const [first = 0] = ids;
  const post_key = `${chat.id}/${first}`;
  const created_at = now().getTime();
  for (const [index, message_id] of ids.entries()) {
    const own = index === 0 ? content : { text: "", entities: [] };
    const row = { chat_id: chat.id, message_id, bot_id: bot.id, post_key, created_at };
    messages.insert(store, { ...row, ...own, media: media[index]?.type ?? null });
  }
  const { chat_id: _, text: __, caption: ___, ...fields } = input as Record<string, unknown>;
  store.savePost(origin, {
    platform: "telegram",
    key: post_key,
    author: chat.username ?? chat.id,
    text: content.text,
    fields,
    media: media.map(({ id }) => ({ id, alt: "" })),
    url: addressOf(chat, first),
    replyTo: parent?.post_key,
  });
  const group = media.length > 1 ? { media_group_id: randomDigits(17) } : {};
  const sent = ids.map((message_id, index) => ({
    message_id,
    chat: briefly(chat),
    date: Math.floor(created_at / SECOND),
    ...(chat.isForum && input.message_thread_id
      ? { message_thread_id: input.message_thread_id, is_topic_message: true }
      : {}),
    ...group,
    ...(index === 0 ? shown(content, media.length > 0) : {}),
  }));
  return deliver(reply, ok(media.length > 1 ? sent : sent[0]));
}

const shown = ({ text, entities: list }: Formatted, isCaption: boolean): object => {
  const [words, marks] = isCaption ? ["caption", "caption_entities"] : ["text", "entities"];
  return text === "" ? {} : { [words]: text, [marks]: list };
};

export async function sendMessage(call: Call): Promise<Response> {
  const input = readInput(textInput, (await readParameters(call)).fields);
  const place = await toChatAndBot(call, input);
  return send(call, { ...place, input, content: message(input.text, input.entities), media: [] });
}

export const sendFile =
  (type: MediaType) =>
  async (call: Call): Promise<Response> => {
    const { fields, files } = await readParameters(call);
    const input = readInput(mediaInput, fields);
    const place = await toChatAndBot(call, input);
    const content = formatted(input.caption ?? "", input.caption_entities, MAX_CAPTION);
    return send(call, { ...place, input, content, media: [take(call, type, files.get(type))] });
  };

export async function sendMediaGroup(call: Call): Promise<Response> {
  const form: Form = await readParameters(call);
  const input = readInput(albumInput, form.fields);
  const place = await toChatAndBot(call, input);
  const items: AlbumItem[] = input.media ?? [];
  const media = takeAlbum(call, items, form);
  const [content] = items.map(({ caption, caption_entities }) =>
    formatted(caption ?? "", caption_entities, MAX_CAPTION),
  );
  return send(call, { ...place, input, content: content ?? { text: "", entities: [] }, media });
}
