import { type Call, deliver } from "../kit/simulator.ts";
import { invalidForm, refusal } from "./call.ts";
import {
  botInput,
  readInput,
  requireMessage,
  requireThread,
  threadInput,
  webhookInput,
} from "./input.ts";
import { findByNonce, messages, saveMessage, show } from "./messages.ts";
import { requirePlace } from "./place.ts";
import { steerMessage } from "./steering.ts";
import type { Place } from "./world.ts";

/** @throws Refusal 220001 and 220003 */
function requireForumsThread({ isThread, world }: Place, name: string | undefined): void {
  if (world.isForum && !isThread && name === undefined) {
    const words = "Webhooks posted to forum channels must have a thread_name or thread_id";
    throw refusal(400, 220001, words);
  }
  if (!world.isForum && name !== undefined) {
    throw refusal(400, 220003, "Webhooks can only create threads in forum channels");
  }
}

/** Source: Discord, "Webhook Resource", Execute Webhook. */
export async function execute(call: Call): Promise<Response> {
  const place = await requirePlace(call);
  const { fields, files } = await readInput(call, webhookInput);
  requireMessage(fields, files);
  const { thread_name: name, applied_tags: tags } = fields;
  requireForumsThread(place, name);
  if (name !== undefined) requireThread({ name, tags, field: "thread_name" }, place.world);
  const reply = steerMessage(call, place, fields.content ?? "");
  const opensThread = name !== undefined;
  const message = saveMessage(call, place, { input: fields, files, opensThread, received: fields });
  const isWaiting = call.req.query("wait") === "true";
  const answer = isWaiting ? Response.json(show(message)) : new Response(null, { status: 204 });
  return deliver(reply, answer);
}

/** Source: Discord, "Message Resource", Create Message. */
export async function createMessage(call: Call): Promise<Response> {
  const place = await requirePlace(call);
  const { fields, files } = await readInput(call, botInput);
  if (place.world.isForum && !place.isThread) {
    throw refusal(400, 50008, "Cannot send messages in a non-text channel");
  }
  requireMessage(fields, files);
  const { nonce = null, enforce_nonce, message_reference } = fields;
  const reference = referenceOf(call, place, message_reference);
  const reply = steerMessage(call, place, fields.content ?? "");
  const same = enforce_nonce && nonce !== null ? findByNonce(call, place, nonce) : null;
  const created = { input: fields, files, nonce, reference, received: fields };
  return deliver(reply, Response.json(show(same ?? saveMessage(call, place, created))));
}

function referenceOf(
  { env: { store, origin } }: Call,
  { channelId }: Place,
  reference: { message_id: string; fail_if_not_exists?: boolean | undefined } | undefined,
): string | null {
  if (!reference) return null;
  const id = reference.message_id;
  const own = { id, channel_id: channelId, team_id: origin.teamId, is_deleted: false };
  if (messages.find(store, own)) return id;
  if (reference.fail_if_not_exists === false) return null;
  throw invalidForm("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message");
}

/** Source: Discord, "Channels Resource", Start Thread in Forum or Media Channel. */
export async function createThread(call: Call): Promise<Response> {
  const place = await requirePlace(call);
  const { world } = place;
  const { fields, files } = await readInput(call, threadInput);
  if (!world.isForum) throw refusal(400, 50024, "Cannot execute action on this channel type");
  const { name, message: input, applied_tags: tags } = fields;
  requireThread({ name, tags, field: "name" }, world);
  requireMessage(input, files);
  const reply = steerMessage(call, place, input.content ?? "");
  const received = { ...input, name, applied_tags: tags };
  const message = saveMessage(call, place, { input, files, opensThread: true, received });
  const thread = { id: message.id, type: 11, guild_id: world.guildId, parent_id: world.channelId };
  const answer = { ...thread, name, message: show(message) };
  return deliver(reply, Response.json(answer, { status: 201 }));
}
