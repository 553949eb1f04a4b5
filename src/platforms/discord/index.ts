import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import { apiVersion, capabilities, isBot, mentions, needs, timing } from "./capabilities.ts";
import { type DiscordSettings, partSettings, settings } from "./settings.ts";

const auth = lazily(
  () => import("./auth.ts"),
  "connectWebhook",
  "connectBot",
  "identify",
  "refresh",
);

export const discord: Connector<DiscordSettings> = {
  platform: "discord",
  name: "Discord",
  apiVersion,
  capabilities,
  needs,
  mentions,
  timing,
  settings,
  ownPrefix: { prefix: "discord_", refusal: "is not a field of Discord" },
  ...lazily(() => import("./setup-steps.ts"), "setupSteps"),
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./likeness.ts"), "likeness", "describeSettings"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "reconcile"),
  followUps: { kinds: ["post"], settingsOf: partSettings },
  removal: {
    byHand: "Delete the message in Discord.",
    calls: lazily(() => import("./removal.ts"), "remove", "readBack"),
  },
  correction: {
    byHand: "Take the post down with POST /upload/{id}/unpublish, then publish a new one.",
    fields: ["description"],
    calls: lazily(() => import("./correction.ts"), "textsOf", "correct", "shows"),
  },
  rehearsal: {
    ...lazily(() => import("./rehearsal.ts"), "plan"),
    ...lazily(() => import("./removal.ts"), "readBack"),
  },
  metrics: {
    counts: ["likes"],
    callsOf: () => 1,
    pagePosts: 50,
    covers: ({ platformAccountId }) => isBot(platformAccountId),
    ...lazily(() => import("./metrics.ts"), "readPage", "readFollowers"),
  },
  logins: [
    {
      title: "By a webhook",
      fields: [
        {
          name: "webhookUrl",
          label: "Webhook URL",
          hint: "from the channel's settings, under Integrations",
          maxLength: 2_048,
          isSecret: true,
        },
      ],
      connect: auth.connectWebhook,
    },
    {
      title: "By a bot",
      fields: [
        { name: "botToken", label: "Token of the bot", maxLength: 2_048, isSecret: true },
        { name: "channelId", label: "Channel", hint: "its link, or its number", maxLength: 200 },
      ],
      connect: auth.connectBot,
    },
  ],
  identify: auth.identify,
  refresh: auth.refresh,
};
