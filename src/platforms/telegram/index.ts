import type { Connector } from "../connector.ts";
import { lazily } from "../kit/lazily.ts";
import { apiVersion, capabilities, mentions, needs, timing } from "./capabilities.ts";
import { partSettings, settings, type TelegramSettings } from "./settings.ts";

export const telegram: Connector<TelegramSettings> = {
  platform: "telegram",
  name: "Telegram",
  apiVersion,
  capabilities,
  needs,
  mentions,
  timing,
  settings,
  ...lazily(() => import("./setup-steps.ts"), "setupSteps"),
  ...lazily(() => import("./check.ts"), "check"),
  ...lazily(() => import("./likeness.ts"), "likeness", "describeSettings"),
  ...lazily(() => import("./publish.ts"), "prepare", "submit", "reconcile"),
  followUps: { kinds: ["post"], settingsOf: partSettings },
  removal: {
    byHand: "Delete the message in Telegram.",
    calls: lazily(() => import("./removal.ts"), "remove", "readBack"),
  },
  correction: {
    byHand: "Edit the message in Telegram.",
    fields: ["description"],
    calls: lazily(() => import("./correction.ts"), "textsOf", "correct", "shows"),
  },
  rehearsal: {
    ...lazily(() => import("./rehearsal.ts"), "plan"),
    ...lazily(() => import("./removal.ts"), "readBack"),
  },
  metrics: {
    counts: [],
    callsOf: () => 0,
    pagePosts: 1,
    ...lazily(() => import("./metrics.ts"), "readPage", "readFollowers"),
  },
  logins: [
    {
      title: "By a bot's token",
      fields: [
        {
          name: "botToken",
          label: "Token of the bot",
          hint: "as @BotFather gives it",
          maxLength: 100,
          isSecret: true,
        },
        {
          name: "chatId",
          label: "Channel or group",
          hint: "@name, -100…, or the link of a message in it",
          maxLength: 200,
        },
      ],
      ...lazily(() => import("./auth.ts"), "connect"),
    },
  ],
  ...lazily(() => import("./auth.ts"), "identify", "refresh"),
};
