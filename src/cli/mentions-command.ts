import type { Command } from "commander";
import type { MentionedAccount } from "./api.ts";
import {
  addClientCommand,
  type ClientOptions,
  inWordsOf,
  openApi,
  type Setting,
  show,
  withJson,
} from "./client-command.ts";
import { retrying } from "./retry.ts";
import { formatTable } from "./table.ts";

const HELP = `
Examples:
  akimbo mentions acc_1 ada
  akimbo mentions acc_2 acme --json | jq -r '.[0].mention'

Bluesky, Mastodon and X search by name; X charges for each account that it finds. LinkedIn finds one page by the name in its
address.`;

export function addMentionsCommand(program: Command, setting: Setting): void {
  withJson(addClientCommand(program, "mentions"))
    .description("finds accounts that a post can mention, with the text to put into the post")
    .argument("<account>", "id of the account that posts")
    .argument("<query>", "a name or handle")
    .addHelpText("after", inWordsOf(setting, HELP))
    .action(async (accountId: string, query: string, options: ClientOptions) => {
      const api = await openApi(options, setting);
      const mentions = await retrying(() => api.findMentions(accountId, query));
      show(options, mentions, () => formatMentions(mentions));
    });
}

function formatMentions(mentions: readonly MentionedAccount[]): string {
  if (mentions.length === 0) return "Nothing was found. Try another part of the name.";
  return formatTable(
    ["Mention", "Name", "Address"],
    mentions.map(({ mention, name, url }) => [mention, name, url]),
  );
}
