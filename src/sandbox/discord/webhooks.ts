import { type Call, deliver } from "../kit/simulator.ts";
import { refusal } from "./call.ts";
import {
  readInput,
  requireMessage,
  requireTags,
  requireThreadName,
  requireUsername,
  webhookInput,
} from "./input.ts";
import { type Message, messageCalls, requireMessageOf, saveMessage, show } from "./messages.ts";
import { steerMessage } from "./steering.ts";
import { openThread, requireThread } from "./threads.ts";
import { requireWebhook, type World } from "./world.ts";

/** Source: Discord, "Webhook Resource", Get Webhook with Token. */
export async function readWebhook(call: Call): Promise<Response> {
  const { world } = await requireWebhook(call);
  const token = call.req.param("token");
  return Response.json({
    id: world.webhookId,
    type: 1,
    guild_id: world.guildId,
    channel_id: world.channelId,
    name: world.name,
    avatar: null,
    token,
    application_id: null,
  });
}

/** @throws Refusal 220001 to 220003 */
function requirePlace({ isForum }: World, threadId: string | undefined, name: string | undefined) {
  if (isForum && threadId === undefined && name === undefined) {
    throw refusal(
      400,
      220001,
      "Webhooks posted to forum channels must have a thread_name or thread_id",
    );
  }
  if (threadId !== undefined && name !== undefined) {
    throw refusal(
      400,
      220002,
      "Webhooks posted to forum channels cannot have both a thread_name and thread_id",
    );
  }
  if (!isForum && name !== undefined) {
    throw refusal(400, 220003, "Webhooks can only create threads in forum channels");
  }
}

/** Source: Discord, "Webhook Resource", Execute Webhook. */
export async function execute(call: Call): Promise<Response> {
  const caller = await requireWebhook(call);
  const { world } = caller;
  const { fields, files } = await readInput(call, webhookInput);
  requireMessage(fields, files);
  requireUsername(fields.username);
  const threadId = call.req.query("thread_id");
  const { thread_name: threadName, applied_tags: tags = [] } = fields;
  requirePlace(world, threadId, threadName);
  if (threadName !== undefined) {
    requireThreadName("thread_name", threadName);
    requireTags(tags, world);
  }
  const thread = threadId === undefined ? null : requireThread(call, world, threadId);
  const reply = steerMessage(call, caller, true, fields.content ?? "");
  const opened =
    threadName === undefined ? null : openThread(call, world, world.webhookId, threadName);
  const message = await saveMessage(call, world, {
    ...(opened ? { id: opened.id } : {}),
    channelId: (opened ?? thread)?.id ?? world.channelId,
    isWebhook: true,
    input: fields,
    files,
    received: { ...fields, ...(threadId === undefined ? {} : { thread_id: threadId }) },
    username: fields.username,
  });
  const isWaiting = call.req.query("wait") === "true";
  return deliver(
    reply,
    isWaiting ? Response.json(show(message)) : new Response(null, { status: 204 }),
  );
}

async function findMessage(call: Call): Promise<Message> {
  const { world } = await requireWebhook(call);
  const threadId = call.req.query("thread_id");
  const thread = threadId === undefined ? null : requireThread(call, world, threadId);
  return requireMessageOf(call, world.webhookId, thread?.id ?? world.channelId);
}

export const { readMessage, editMessage, removeMessage } = messageCalls(findMessage);
