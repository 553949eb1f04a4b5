import * as z from "zod";
import { type Call, createApp, createSimulator } from "../kit/simulator.ts";
import { ok, readInput, refusal } from "./call.ts";
import { deleteMessages, editMessageCaption, editMessageText } from "./changes.ts";
import {
  authenticate,
  type Bot,
  bots,
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
  const { id, token } = await authenticate(call);
  const { store } = call.env;
  const checks = (bots.find(store, { token })?.checks ?? 0) + 1;
  bots.insert(store, { token, checks }, "OR REPLACE");
  const username = `sandbox_${id}_bot`;
  return ok({
    id: Number(id),
    is_bot: true,
    first_name: "Sandbox",
    username,
    can_join_groups: true,
  });
}

const question = z.looseObject({ chat_id: z.union([z.string(), z.int()]).transform(String) });

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

export const telegramSimulator = createSimulator([chats, bots, messages], app);
