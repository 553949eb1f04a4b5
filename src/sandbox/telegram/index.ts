import * as z from "zod";
import { type Call, createApp, createSimulator } from "../kit/simulator.ts";
import { chatId, ok, readInput, refusal } from "./call.ts";
import { deleteMessages, editMessageCaption, editMessageText } from "./changes.ts";
import {
  authenticate,
  type Bot,
  type Chat,
  chats,
  findChat,
  membersOf,
  requireMember,
  toFullChat,
  toMember,
} from "./chats.ts";
import { readParameters } from "./form.ts";
import { messages, sendFile, sendMediaGroup, sendMessage } from "./messages.ts";

async function getMe(call: Call): Promise<Response> {
  const { id } = await authenticate(call);
  return ok({ id: Number(id), is_bot: true, first_name: "Sandbox", username: `sandbox_${id}_bot` });
}

const question = z.looseObject({ chat_id: chatId });

const asking = (answer: (chat: Chat, bot: Bot) => unknown) => async (call: Call) => {
  const bot = await authenticate(call);
  const { chat_id } = readInput(question, (await readParameters(call)).fields);
  return ok(answer(await findChat(call.env, chat_id), bot));
};

const METHODS: Record<string, (call: Call) => Promise<Response>> = {
  getme: getMe,
  getchat: asking(toFullChat),
  getchatmember: asking(toMember),
  getchatmembercount: asking((chat) => {
    requireMember(chat);
    return membersOf(chat);
  }),
  sendmessage: sendMessage,
  sendphoto: sendFile("photo"),
  sendvideo: sendFile("video"),
  sendanimation: sendFile("animation"),
  senddocument: sendFile("document"),
  sendmediagroup: sendMediaGroup,
  editmessagetext: editMessageText,
  editmessagecaption: editMessageCaption,
  deletemessages: deleteMessages,
};

const app = createApp(() => refusal(404, "Not Found"));

/** Names of methods are case-insensitive. */
app.post("/api.telegram.org/:bot{bot[^/]+}/:method", async (call) => {
  const method = METHODS[call.req.param("method").toLowerCase()];
  if (!method) throw refusal(404, "Not Found: method not found");
  return method(call);
});

export const telegramSimulator = createSimulator([chats, messages], app);
