import * as z from "zod";
import { now } from "../../core/clock.ts";
import { DAY, SECOND } from "../../core/time.ts";
import type { Call } from "../kit/simulator.ts";
import { readSteering } from "../kit/steering.ts";
import { badRequest, chatId, flag, inJson, integer, ok, readInput } from "./call.ts";
import { authenticate, findChat, requireMember } from "./chats.ts";
import { readParameters } from "./form.ts";
import { type Message, messages } from "./messages.ts";
import { entities, type Formatted, formatted, MAX_CAPTION, message } from "./texts.ts";

/** Source: TDLib, MessagesManager.cpp: "bots can't delete messages older than 2 days". */
const DELETABLE_MS = 2 * DAY;
const MAX_DELETED = 100;

const editInput = z.looseObject({
  chat_id: chatId,
  message_id: integer,
  text: z.string().optional(),
  entities,
  caption: z.string().optional(),
  caption_entities: entities,
  show_caption_above_media: flag,
});

type EditInput = z.output<typeof editInput>;

async function requireOwn(call: Call, input: Pick<EditInput, "chat_id" | "message_id">) {
  const bot = await authenticate(call);
  const chat = await findChat(call.env, input.chat_id);
  requireMember(chat);
  const row = messages.find(call.env.store, { chat_id: chat.id, message_id: input.message_id });
  if (!row) throw badRequest("message to edit not found");
  if (row.bot_id !== bot.id) throw badRequest("message can't be edited");
  return row;
}

function change(call: Call, row: Message, content: Formatted): Response {
  const { store } = call.env;
  const isSame =
    row.text === content.text && JSON.stringify(row.entities) === JSON.stringify(content.entities);
  if (isSame) {
    throw badRequest(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  }
  const { chat_id, message_id, post_key } = row;
  messages.update(store, { chat_id, message_id }, content);
  const name = row.media === null ? "entities" : "caption_entities";
  store.changeFields("telegram", post_key, { [name]: content.entities }, content.text);
  return ok({
    message_id,
    chat: { id: Number(chat_id) },
    edit_date: Math.floor(now().getTime() / SECOND),
  });
}

const readEdit = async (call: Call) => readInput(editInput, (await readParameters(call)).fields);

export async function editMessageText(call: Call): Promise<Response> {
  const input = await readEdit(call);
  const row = await requireOwn(call, input);
  if (row.media !== null) throw badRequest("there is no text in the message to edit");
  return change(call, row, message(input.text, input.entities));
}

export async function editMessageCaption(call: Call): Promise<Response> {
  const input = await readEdit(call);
  const row = await requireOwn(call, input);
  if (row.media === null) throw badRequest("there is no caption in the message to edit");
  return change(call, row, formatted(input.caption ?? "", input.caption_entities, MAX_CAPTION));
}

const deleteInput = z.looseObject({ chat_id: chatId, message_ids: inJson(z.array(integer)) });

/** Skips messages that are gone. */
export async function deleteMessages(call: Call): Promise<Response> {
  const bot = await authenticate(call);
  const { store } = call.env;
  const input = readInput(deleteInput, (await readParameters(call)).fields);
  if (input.message_ids.length > MAX_DELETED)
    throw badRequest("too many message identifiers specified");
  const chat = await findChat(call.env, input.chat_id);
  requireMember(chat);
  const rows = input.message_ids.flatMap(
    (message_id) => messages.find(store, { chat_id: chat.id, message_id }) ?? [],
  );
  const isDeletable = ({ created_at, bot_id, text }: Message) =>
    bot_id === bot.id &&
    created_at > now().getTime() - DELETABLE_MS &&
    !readSteering(text).keepsPost;
  if (!rows.every(isDeletable)) throw badRequest("message can't be deleted for everyone");
  for (const { chat_id, message_id, post_key } of rows) {
    messages.delete(store, { chat_id, message_id });
    if (messages.count(store, { post_key }) === 0) store.deletePost("telegram", post_key);
  }
  return ok(true);
}
