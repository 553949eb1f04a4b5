import type { Command } from "commander";
import { PLATFORMS } from "../core/platforms.ts";
import type { Account, AccountFilter } from "./api.ts";
import {
  addClientCommand,
  type ClientOptions,
  choice,
  inWordsOf,
  onlyGiven,
  openApi,
  type Setting,
  show,
  withJson,
} from "./client-command.ts";
import { retrying } from "./retry.ts";
import { formatTable } from "./table.ts";

interface AccountOptions extends ClientOptions {
  platform?: string;
  status?: string;
  tags?: string;
}

const STATUSES: NonNullable<AccountFilter["status"]>[] = [
  "active",
  "connected",
  "expired",
  "revoked",
];

export function addAccountsCommand(program: Command, setting: Setting): void {
  withJson(addClientCommand(program, "accounts"))
    .description("lists the connected accounts with their ids, which the other commands take")
    .addOption(choice("--platform <name>", "of one platform", PLATFORMS))
    .addOption(choice("--status <status>", "of one status", STATUSES))
    .option("--tags <text>", "whose tags have this text")
    .addHelpText(
      "after",
      inWordsOf(
        setting,
        "\nExample:\n  akimbo accounts --platform bluesky --json | jq -r '.[].id'",
      ),
    )
    .action(async ({ platform, status, tags, ...options }: AccountOptions) => {
      const api = await openApi(options, setting);
      const accounts = await retrying(() =>
        api.listAccounts(onlyGiven({ platform, status, tags })),
      );
      show(options, accounts, () => formatAccounts(accounts));
    });
}

function formatAccounts(accounts: readonly Account[]): string {
  if (accounts.length === 0) return "No account is connected. Connect one in the dashboard.";
  return formatTable(
    ["Id", "Platform", "Name", "Status", "Mode", "Tags"],
    accounts.map(({ id, platform, accountName, status, mode, tags }) => [
      id,
      platform,
      accountName,
      status,
      mode ?? "",
      tags ?? "",
    ]),
  );
}
