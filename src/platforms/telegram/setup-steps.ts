import type { SetupStep } from "../setup-steps.ts";

const STEPS: readonly SetupStep[] = [
  {
    id: "bot",
    kind: "account",
    title: "Make a bot",
    todo: "Open @BotFather in Telegram and send /newbot. Give a name, then a username that ends in bot. BotFather answers with the token. One bot serves many chats. Nothing is registered for the whole instance: each person may bring a bot.",
    page: "https://core.telegram.org/bots/features#creating-a-new-bot",
    before: "Nothing.",
    after: "There is a token, which is the whole login: keep it secret.",
    neededFor: "everybody",
  },
  {
    id: "chat",
    kind: "people",
    title: "Add the bot to the channel or group",
    todo: 'In a channel, open its name, Administrators, Add Admin, search for the bot\'s username, and allow "Post Messages". In a group, open Add Members and choose the bot; make it an administrator where members may not write.',
    page: "https://core.telegram.org/bots/features#creating-a-new-bot",
    before: "Telegram takes nothing from the bot for the chat.",
    after: "The bot may post there.",
    neededFor: "everybody",
  },
  {
    id: "connect",
    kind: "account",
    title: "Connect the chat",
    todo: "On the page of accounts, enter the token and the chat: @name for a public one. For a private one, copy the link of any message in it, such as https://t.me/c/1234567890/42.",
    page: "https://core.telegram.org/bots/api#getchat",
    before: "Nothing.",
    after: "The chat takes posts. This is the last step.",
    neededFor: "everybody",
  },
];

export const setupSteps = () => STEPS;
