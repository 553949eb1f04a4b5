import { createApp, createSimulator } from "../kit/simulator.ts";
import * as bots from "./bots.ts";
import { notFound, requireAgent } from "./call.ts";
import { messages, postByHand } from "./messages.ts";
import { threads } from "./threads.ts";
import * as webhooks from "./webhooks.ts";

const app = createApp(notFound);

app.use("*", async (call, next) => {
  requireAgent(call);
  await next();
});

const HOOK = "/webhooks/:webhook{\\d{1,20}}/:token{[A-Za-z0-9_-]+}";
const CHANNEL = "/channels/:channel{\\d{1,20}}";
const GUILD = "/guilds/:guild{\\d{1,20}}";
const MESSAGE = "/messages/:message{\\d{1,20}}";

app
  .basePath("/discord.com/api/v10")
  .get(HOOK, webhooks.readWebhook)
  .post(HOOK, webhooks.execute)
  .get(HOOK + MESSAGE, webhooks.readMessage)
  .patch(HOOK + MESSAGE, webhooks.editMessage)
  .delete(HOOK + MESSAGE, webhooks.removeMessage)
  .get("/users/@me", bots.readMe)
  .get(GUILD, bots.readGuild)
  .get(`${GUILD}/threads/active`, bots.readActiveThreads)
  .get(CHANNEL, bots.readChannel)
  .post(`${CHANNEL}/threads`, bots.createThread)
  .get(`${CHANNEL}/messages`, bots.listMessages)
  .post(`${CHANNEL}/messages`, bots.createMessage)
  .get(CHANNEL + MESSAGE, bots.readMessage)
  .patch(CHANNEL + MESSAGE, bots.editMessage)
  .delete(CHANNEL + MESSAGE, bots.removeMessage);

export const discordSimulator = createSimulator([messages, threads], app, postByHand);
