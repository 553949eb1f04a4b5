import type { Call } from "../kit/simulator.ts";
import { unknownMessage } from "./call.ts";
import { messageInput, readInput, requireContent } from "./input.ts";
import { type Message, messages, show } from "./messages.ts";
import { requirePlace } from "./place.ts";

/** @throws Refusal 10008 for another channel's or author's message, and for one that is gone */
async function requireOwn(call: Call): Promise<Message> {
  const { authorId, channelId } = await requirePlace(call);
  const { store, origin } = call.env;
  const message = messages.find(store, {
    id: call.req.param("message") ?? "",
    team_id: origin.teamId,
    channel_id: channelId,
    author_id: authorId,
    is_deleted: false,
  });
  if (!message) throw unknownMessage();
  return message;
}

export const readMessage = async (call: Call): Promise<Response> =>
  Response.json(show(await requireOwn(call)));

export async function editMessage(call: Call): Promise<Response> {
  const message = await requireOwn(call);
  const { fields } = await readInput(call, messageInput);
  requireContent(fields);
  const content = fields.content?.trim() ?? message.content;
  messages.update(call.env.store, { id: message.id }, { content });
  call.env.store.changeFields("discord", message.id, { content }, content);
  return Response.json(show({ ...message, content }));
}

export async function removeMessage(call: Call): Promise<Response> {
  const { id } = await requireOwn(call);
  messages.update(call.env.store, { id }, { is_deleted: true });
  call.env.store.deletePost("discord", id);
  return new Response(null, { status: 204 });
}
