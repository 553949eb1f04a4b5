import type { Command } from "commander";
import { inWordsOf, type Setting } from "./client-command.ts";
import type { LoginOptions } from "./login/run.ts";

export function addLoginCommands(program: Command, setting: Setting): void {
  program
    .command("login")
    .description("signs this machine in to an instance, in a browser or by a code")
    .option("--url <url>", "the instance; default: AKIMBO_URL")
    .option("--no-browser", "shows the address, and opens no browser")
    .option("--device", "shows a code to type on another device; the default where no browser is")
    .option("--scope <scopes>", 'what to ask for, such as "posts:read accounts:read"')
    .addHelpText("after", inWordsOf(setting, LOGIN_HELP))
    .action(async (options: LoginOptions) => {
      const { logIn } = await import("./login/run.ts");
      await logIn(options, setting);
    });

  program
    .command("logout")
    .description("ends the login of this machine")
    .option("--url <url>", "the instance; default: AKIMBO_URL")
    .action(async (options: LoginOptions) => {
      const { logOut } = await import("./login/run.ts");
      await logOut(options, setting);
    });
}

const LOGIN_HELP = `
Examples:
  akimbo login --url https://akimbo.example.com
  akimbo login --url https://akimbo.example.com --device

You choose on a page what the command line may do, in which workspace and for how long. The login is kept in a file
that only you can read, and renews itself. A token of --token or AKIMBO_TOKEN goes before it.`;
