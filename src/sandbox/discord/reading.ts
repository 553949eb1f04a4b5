import { followersOf } from "../kit/audience.ts";
import type { Call } from "../kit/simulator.ts";
import { unknownGuild } from "./call.ts";
import { messages, show } from "./messages.ts";
import { requirePlace } from "./place.ts";
import { requireBot, requireWebhook, usernameOf } from "./world.ts";

/** Source: Discord, "Webhook Resource", Get Webhook with Token. */
export async function readWebhook(call: Call): Promise<Response> {
  const { world } = await requireWebhook(call);
  return Response.json({
    id: world.webhookId,
    type: 1,
    guild_id: world.guildId,
    channel_id: world.channelId,
    name: world.name,
    avatar: null,
    token: call.req.param("token"),
    application_id: null,
  });
}

export async function readMe(call: Call): Promise<Response> {
  const { world } = await requireBot(call);
  const username = usernameOf(world);
  return Response.json({ id: world.botId, username, global_name: null, avatar: null, bot: true });
}

export async function readGuild(call: Call): Promise<Response> {
  const { guildId: id, name } = (await requireBot(call)).world;
  if (call.req.param("guild") !== id) throw unknownGuild();
  const counts = { approximate_member_count: followersOf(`discord ${id}`) };
  const hasCounts = call.req.query("with_counts") === "true";
  return Response.json({ id, name, icon: null, premium_tier: 0, ...(hasCounts ? counts : {}) });
}

const TEXT = 0;
const PUBLIC_THREAD = 11;
const FORUM = 15;
/** Source: Discord, "Channels Resource", channel flags. */
const REQUIRE_TAG = 16;

/** Source: Discord, "Channels Resource". */
export async function readChannel(call: Call): Promise<Response> {
  const { world, channelId: id, isThread } = await requirePlace(call);
  const { guildId: guild_id, channelId: parent_id, isForum, needsTag, tagId, name } = world;
  if (isThread) {
    return Response.json({ id, type: PUBLIC_THREAD, guild_id, parent_id, name: "A thread" });
  }
  return Response.json({
    id,
    type: isForum ? FORUM : TEXT,
    guild_id,
    parent_id: null,
    name: name.toLowerCase().replaceAll(/\s+/g, "-"),
    flags: needsTag ? REQUIRE_TAG : 0,
    ...(isForum ? { available_tags: [{ id: tagId, name: "News", moderated: false }] } : {}),
  });
}

const USUAL_LIMIT = 50;
const NEVER = "9223372036854775807";

/** Oldest of each channel: a person's, whose content the bot is not shown. */
const PERSONS = {
  author: { id: "80351110224678912", username: "nelly" },
  ...{ content: "", embeds: [], attachments: [], flags: 0 },
  timestamp: "2015-01-01T00:00:00.000000+00:00",
};

/** Newest first. Source: Discord, "Message Resource", Get Channel Messages. */
export async function listMessages(call: Call): Promise<Response> {
  const { world, channelId } = await requirePlace(call);
  if (/\bno history\b/i.test(world.name)) return Response.json([]);
  const { limit = USUAL_LIMIT, before = NEVER } = call.req.query();
  const rows = messages.list(
    call.env.store,
    { channel_id: channelId, team_id: call.env.origin.teamId, is_deleted: false },
    `AND CAST(id AS INTEGER) < CAST(? AS INTEGER) ORDER BY CAST(id AS INTEGER) DESC LIMIT ?`,
    before,
    Number(limit),
  );
  const first = { ...PERSONS, id: "1", channel_id: channelId };
  const hasFirst = rows.length < Number(limit) && before !== first.id;
  return Response.json([...rows.map(show), ...(hasFirst ? [first] : [])]);
}
