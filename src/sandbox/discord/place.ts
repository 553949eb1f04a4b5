import type { Call } from "../kit/simulator.ts";
import { missingAccess, unknownChannel } from "./call.ts";
import { messages } from "./messages.ts";
import { type Place, requireBot, requireWebhook, type World } from "./world.ts";

/** A thread that people began, and those of forums, whose first messages have the threads' ids. */
function hasThread({ env }: Call, { threadId, botId, webhookId }: World, id: string): boolean {
  if (id === threadId) return true;
  const first = messages.find(env.store, { id, channel_id: id, team_id: env.origin.teamId });
  return first !== null && [botId, webhookId].includes(first.author_id);
}

/** @throws Refusal 10003 for an unknown channel or thread, 50001 for one that the bot does not see */
export async function requirePlace(call: Call): Promise<Place> {
  const isWebhook = call.req.param("webhook") !== undefined;
  const caller = await (isWebhook ? requireWebhook(call) : requireBot(call));
  const { world } = caller;
  const named = isWebhook ? call.req.query("thread_id") : call.req.param("channel");
  const channelId = named ?? world.channelId;
  const isThread = channelId !== world.channelId;
  if (isThread && !hasThread(call, world, channelId)) throw unknownChannel();
  if (!isWebhook && !isThread && /\bblind\b/i.test(world.name)) throw missingAccess();
  const authorId = isWebhook ? world.webhookId : world.botId;
  return { ...caller, isWebhook, authorId, channelId, isThread };
}
