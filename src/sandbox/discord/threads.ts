import { now } from "../../core/clock.ts";
import type { Call } from "../kit/simulator.ts";
import { flag, integer, key, type RowOf, Table, text } from "../kit/table.ts";
import { unknownChannel } from "./call.ts";
import { newSnowflake } from "./messages.ts";
import type { World } from "./world.ts";

export const threads = new Table("discord_threads", {
  id: key(),
  team_id: integer(),
  parent_id: text(),
  owner_id: text(),
  name: text(),
  created_at: integer(),
  is_archived: flag(),
});

type Thread = RowOf<typeof threads>;

const TEXT = 0;
const FORUM = 15;
const PUBLIC_THREAD = 11;
/** Source: Discord, "Channels Resource", channel flags. */
const REQUIRE_TAG = 16;

export function openThread(call: Call, world: World, ownerId: string, name: string): Thread {
  const { store, origin } = call.env;
  const thread: Thread = {
    id: newSnowflake(store),
    team_id: origin.teamId,
    parent_id: world.channelId,
    owner_id: ownerId,
    name,
    created_at: now().getTime(),
    is_archived: false,
  };
  threads.insert(store, thread);
  return thread;
}

/** Each channel has a thread that people began. */
const firstThread = (call: Call, { threadId, channelId }: World): Thread => ({
  id: threadId,
  team_id: call.env.origin.teamId,
  parent_id: channelId,
  owner_id: "1",
  name: "Begun by a person",
  created_at: 0,
  is_archived: false,
});

export function findThread(call: Call, world: World, id: string): Thread | null {
  if (id === world.threadId) return firstThread(call, world);
  const own = { id, parent_id: world.channelId, team_id: call.env.origin.teamId };
  return threads.find(call.env.store, own);
}

/** @throws Refusal 10003 for the thread of another channel */
export function requireThread(call: Call, world: World, id: string): Thread {
  const thread = findThread(call, world, id);
  if (!thread) throw unknownChannel();
  return thread;
}

export const showChannel = ({ channelId, guildId, isForum, needsTag, tagId, name }: World) => ({
  id: channelId,
  type: isForum ? FORUM : TEXT,
  guild_id: guildId,
  name: name.toLowerCase().replaceAll(/\s+/g, "-"),
  parent_id: null,
  flags: needsTag ? REQUIRE_TAG : 0,
  rate_limit_per_user: 0,
  ...(isForum ? { available_tags: [{ id: tagId, name: "News", moderated: false }] } : {}),
});

export const showThread = (thread: Thread, { guildId }: World) => ({
  id: thread.id,
  type: PUBLIC_THREAD,
  guild_id: guildId,
  parent_id: thread.parent_id,
  owner_id: thread.owner_id,
  name: thread.name,
  thread_metadata: {
    archived: thread.is_archived,
    auto_archive_duration: 1_440,
    locked: false,
    create_timestamp: new Date(thread.created_at).toISOString(),
  },
});

export const listThreads = (call: Call, { channelId }: World): Thread[] => {
  const own = { parent_id: channelId, team_id: call.env.origin.teamId, is_archived: false };
  return threads.list(call.env.store, own, "ORDER BY created_at DESC");
};
