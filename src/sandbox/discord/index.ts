import { createApp, createSimulator } from "../kit/simulator.ts";
import { notFound, requireAgent } from "./call.ts";
import { editMessage, readMessage, removeMessage } from "./changes.ts";
import { messages, postByHand } from "./messages.ts";
import { listMessages, readChannel, readGuild, readMe, readWebhook } from "./reading.ts";
import { createMessage, createThread, execute } from "./sending.ts";

const app = createApp(notFound);

app.use("*", async (call, next) => {
  requireAgent(call);
  await next();
});

const HOOK = "/webhooks/:webhook{\\d{1,20}}/:token{[A-Za-z0-9_-]+}";
const CHANNEL = "/channels/:channel{\\d{1,20}}";
const MESSAGE = "/messages/:message{\\d{1,20}}";

const api = app
  .basePath("/discord.com/api/v10")
  .get(HOOK, readWebhook)
  .post(HOOK, execute)
  .get("/users/@me", readMe)
  .get("/guilds/:guild{\\d{1,20}}", readGuild)
  .get(CHANNEL, readChannel)
  .post(`${CHANNEL}/threads`, createThread)
  .get(`${CHANNEL}/messages`, listMessages)
  .post(`${CHANNEL}/messages`, createMessage);

for (const place of [HOOK, CHANNEL]) {
  api
    .get(place + MESSAGE, readMessage)
    .patch(place + MESSAGE, editMessage)
    .delete(place + MESSAGE, removeMessage);
}

export const discordSimulator = createSimulator([messages], app, postByHand);
