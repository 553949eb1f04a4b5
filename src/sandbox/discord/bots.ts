import { followersOf } from "../kit/audience.ts";
import { type Call, deliver } from "../kit/simulator.ts";
import { invalidForm, missingAccess, refusal, unknownChannel, unknownGuild } from "./call.ts";
import {
  botInput,
  readInput,
  requireMessage,
  requireNonce,
  requireTags,
  requireThreadName,
  threadInput,
} from "./input.ts";
import {
  findByNonce,
  messageCalls,
  messages,
  requireMessageOf,
  saveMessage,
  show,
} from "./messages.ts";
import { steerMessage } from "./steering.ts";
import { findThread, listThreads, openThread, showChannel, showThread } from "./threads.ts";
import { type Caller, requireBot, usernameOf, type World } from "./world.ts";

export async function readMe(call: Call): Promise<Response> {
  const { world } = await requireBot(call);
  const username = usernameOf(world);
  return Response.json({ id: world.botId, username, global_name: null, avatar: null, bot: true });
}

export async function readGuild(call: Call): Promise<Response> {
  const { world } = await requireBot(call);
  if (call.req.param("guild") !== world.guildId) throw unknownGuild();
  const members = followersOf(`discord ${world.guildId}`);
  const counts = { approximate_member_count: members, approximate_presence_count: 1 };
  const hasCounts = call.req.query("with_counts") === "true";
  const { guildId: id, name } = world;
  return Response.json({ id, name, icon: null, premium_tier: 0, ...(hasCounts ? counts : {}) });
}

export async function readActiveThreads(call: Call): Promise<Response> {
  const { world } = await requireBot(call);
  if (call.req.param("guild") !== world.guildId) throw unknownGuild();
  const threads = listThreads(call, world).map((thread) => showThread(thread, world));
  return Response.json({ threads, members: [] });
}

/** Source: Discord, "Channels Resource". A name says what the channel is like. */
export async function readChannel(call: Call): Promise<Response> {
  const { world } = await requireBot(call);
  const { id } = requireChannel(call, world);
  const thread = findThread(call, world, id);
  return Response.json(thread ? showThread(thread, world) : showChannel(world));
}

/** @throws Refusal 10003 for an unknown channel, 50001 for one that the bot does not see */
function requireChannel(call: Call, world: World): { id: string; isForum: boolean } {
  const id = call.req.param("channel") ?? "";
  if (id === world.channelId) {
    if (/\bblind\b/i.test(world.name)) throw missingAccess();
    return { id, isForum: world.isForum };
  }
  if (!findThread(call, world, id)) throw unknownChannel();
  return { id, isForum: false };
}

/** Source: Discord, "Message Resource", Create Message. */
export async function createMessage(call: Call): Promise<Response> {
  const caller = await requireBot(call);
  const { world } = caller;
  const { id: channelId, isForum } = requireChannel(call, world);
  const { fields, files } = await readInput(call, botInput);
  if (isForum) throw refusal(400, 50008, "Cannot send messages in a non-text channel");
  requireMessage(fields, files);
  const nonce = requireNonce(fields.nonce);
  const reference = referenceOf(call, channelId, fields.message_reference);
  const reply = steerMessage(call, caller, false, fields.content ?? "");
  const same = fields.enforce_nonce && nonce !== null ? findByNonce(call, world, nonce) : null;
  if (same) return deliver(reply, Response.json(show(same)));
  const message = await saveMessage(call, world, {
    channelId,
    isWebhook: false,
    input: fields,
    files,
    nonce,
    reference,
    received: fields,
  });
  return deliver(reply, Response.json(show(message)));
}

function referenceOf(
  call: Call,
  channel_id: string,
  reference: { message_id: string; fail_if_not_exists?: boolean | undefined } | undefined,
): string | null {
  if (!reference) return null;
  const id = reference.message_id;
  const own = { id, channel_id, team_id: call.env.origin.teamId, is_deleted: false };
  if (messages.find(call.env.store, own)) return id;
  if (reference.fail_if_not_exists === false) return null;
  throw invalidForm("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message");
}

/** Source: Discord, "Channels Resource", Start Thread in Forum or Media Channel. */
export async function createThread(call: Call): Promise<Response> {
  const caller: Caller = await requireBot(call);
  const { world } = caller;
  const { isForum } = requireChannel(call, world);
  const { fields, files } = await readInput(call, threadInput);
  if (!isForum) throw refusal(400, 50024, "Cannot execute action on this channel type");
  const { name, message: input, applied_tags: tags = [] } = fields;
  requireThreadName("name", name);
  requireTags(tags, world);
  requireMessage(input, files);
  const reply = steerMessage(call, caller, false, input.content ?? "");
  const thread = openThread(call, world, world.botId, name);
  const message = await saveMessage(call, world, {
    id: thread.id,
    channelId: thread.id,
    isWebhook: false,
    input,
    files,
    received: { ...input, name, applied_tags: tags },
  });
  const shown = { ...showThread(thread, world), message: show(message) };
  return deliver(reply, Response.json(shown, { status: 201 }));
}

const MAX_LIMIT = 100;
const USUAL_LIMIT = 50;
const NEVER = "9223372036854775807";

/** Oldest of each channel: a person's, whose content the bot is not shown. */
const PERSONS = {
  type: 0,
  author: { id: "80351110224678912", username: "nelly" },
  ...{ content: "", embeds: [], attachments: [], flags: 0 },
  timestamp: "2015-01-01T00:00:00.000000+00:00",
};

/** Source: Discord, "Message Resource", Get Channel Messages. */
export async function listMessages(call: Call): Promise<Response> {
  const { world } = await requireBot(call);
  const { id } = requireChannel(call, world);
  if (/\bno history\b/i.test(world.name)) return Response.json([]);
  const { limit = String(USUAL_LIMIT), before = NEVER, after = "0" } = call.req.query();
  const max = /^\d{1,3}$/.test(limit) ? Number(limit) : Number.NaN;
  if (!(max >= 1 && max <= MAX_LIMIT)) {
    throw invalidForm("limit", "NUMBER_TYPE_MAX", "int value should be from 1 to 100.");
  }
  const rows = messages.list(
    call.env.store,
    { channel_id: id, team_id: call.env.origin.teamId, is_deleted: false },
    `AND CAST(id AS INTEGER) < CAST(? AS INTEGER) AND CAST(id AS INTEGER) > CAST(? AS INTEGER)
     ORDER BY CAST(id AS INTEGER) DESC LIMIT ?`,
    before,
    after,
    max,
  );
  const shown = rows.map((row) => show(row, true));
  const first = { ...PERSONS, id: "1", channel_id: id };
  const hasFirst = rows.length < max && after === "0" && before !== "1";
  return Response.json(hasFirst ? [...shown, first] : shown);
}

async function findMessage(call: Call, isOwn: boolean) {
  const { world } = await requireBot(call);
  const { id } = requireChannel(call, world);
  return requireMessageOf(call, isOwn ? world.botId : null, id);
}

export const { readMessage, editMessage, removeMessage } = messageCalls(findMessage);
