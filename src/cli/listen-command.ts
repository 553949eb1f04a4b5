import type { Command } from "commander";
import { addClientCommand, inWordsOf, type Setting } from "./client-command.ts";
import type { ListenOptions } from "./listen.ts";

export function addListenCommand(program: Command, setting: Setting): void {
  addClientCommand(program, "listen")
    .description(
      "sends the team's events to a server of yours as webhooks would, signed, as they happen",
    )
    .requiredOption("--forward-to <url>", "such as http://localhost:3000/hook")
    .option("--type <name...>", "events of these names alone")
    .option("--secret <secret>", "signs what is sent; default: a new one, which is shown")
    .option(
      "--since <date>",
      "begins there, up to 30 days ago: ISO 8601 with an offset; default: now",
    )
    .option("--json", "prints each delivery as a line of JSON")
    .addHelpText("after", inWordsOf(setting, LISTEN_HELP))
    .action(async (options: ListenOptions) => {
      const { listen } = await import("./listen.ts");
      await listen(options, setting);
    });
}

const LISTEN_HELP = `
Example:
  akimbo listen --forward-to http://localhost:3000/hook --type upload.completed upload.failed

It runs until you stop it, and takes a token with the scope webhooks:read.`;
