import type { SetupStep } from "../setup-steps.ts";

/** View Channel, Send Messages, Embed Links, Attach Files, Read Message History, Send Messages in Threads. */
const PERMISSIONS = "274878024704";

const STEPS: readonly SetupStep[] = [
  {
    id: "webhook",
    kind: "account",
    title: "Create a webhook in the channel",
    todo: "In Discord, open the channel's settings (the gear), then Integrations, Webhooks, New Webhook. Choose its name and picture, under which posts appear. Press Copy Webhook URL, and paste it on the page of accounts here. This needs the permission Manage Webhooks in the channel. Whoever has the address can post with it: treat it like a password.",
    page: "https://support.discord.com/hc/en-us/articles/228383668-Intro-to-Webhooks",
    before: "Nothing.",
    after:
      "The channel is connected, and posts go out. This is all that is needed. When the answer to a post is lost, Discord cannot be asked whether it is there, and you are told to look.",
    neededFor: "everybody",
  },
  {
    id: "bot",
    kind: "app",
    title: "Or create a bot",
    todo: "Create an application in the developer portal. On its page Bot, press Reset Token and copy the token, which is shown once.",
    page: "https://discord.com/developers/applications",
    before: "Posts go out by webhooks.",
    after: "The bot exists, but is in no server.",
    neededFor: "everybody",
  },
  {
    id: "invite",
    kind: "people",
    title: "Invite the bot",
    todo: `Open https://discord.com/oauth2/authorize?client_id=<application id>&scope=bot&permissions=${PERMISSIONS} with the id of the application's first page, and choose the server. Switch Public Bot on where others than you add it. These permissions are: View Channel, Send Messages, Embed Links, Attach Files, Read Message History, Send Messages in Threads.`,
    page: "https://docs.discord.com/developers/topics/oauth2#bot-authorization-flow",
    before: "The bot sees no channel.",
    after: "The bot posts to the channels of the server that it sees.",
    neededFor: "everybody",
  },
  {
    id: "channel",
    kind: "keys",
    title: "Connect a channel of the bot",
    todo: "In Discord, right-click the channel and press Copy Link. On the page of accounts here, paste the bot's token and the link. Each channel is an account of its own.",
    page: "https://support.discord.com/hc/en-us/articles/206346498-Where-can-I-find-my-User-Server-Message-ID",
    before: "Akimbo does not know the bot.",
    after:
      "Posts go out by the bot. Except in forums, Akimbo finds a post again whose answer was lost, and further posts of a thread are replies.",
    neededFor: "everybody",
  },
];

export const setupSteps = () => STEPS;
