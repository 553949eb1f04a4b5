import { Command, CommanderError } from "commander";
import { VERSION } from "../core/version.ts";
import { addAccountsCommand } from "./accounts-command.ts";
import type { Setting } from "./client-command.ts";
import { addCompletionCommand } from "./completion.ts";
import type { Host } from "./connection.ts";
import { addEditCommand } from "./edit-command.ts";
import { addImportCommands } from "./import-command.ts";
import { addListenCommand } from "./listen-command.ts";
import { addLoginCommands } from "./login-command.ts";
import { addMcpCommand } from "./mcp-command.ts";
import { addMentionsCommand } from "./mentions-command.ts";
import { addPostsCommands } from "./post-command.ts";
import { MISUSED, runProgram } from "./program.ts";
import { addRehearseCommand } from "./rehearse-command.ts";
import { addStatusCommands } from "./status-command.ts";
import { addUnpublishCommand } from "./unpublish-command.ts";
import { addUploadCommand } from "./upload-command.ts";

const HELP = `
Sign in, then begin with accounts, whose ids the other commands take:
  login --url https://akimbo.example.com
  accounts
  post "Hello" --account acc_1
  bulk "Hello" --all --at 2026-12-24T18:00:00+01:00
  upload film.mp4 --account acc_2 --title "A film"
  import posts.csv
  status 12
  mcp --allow ~/Pictures

Each command has a --help with examples of its own.

Which instance:
  --url and --token-file (or --token), or AKIMBO_URL and AKIMBO_TOKEN, or the one that you signed in to by login, or `;

const EXIT_CODES = `

Exit codes:
  0  done
  1  refused, or a post that failed
  2  the command was not understood
  3  the instance cannot be reached, or asks to come back later
  130 and above: stopped by a signal`;

export async function runCommandLine(
  host: Host,
  addOthers: (program: Command, setting: Setting) => void,
): Promise<void> {
  await runProgram(async (stopping) => {
    let exitCode = 0;
    const end = (code: number) => {
      exitCode = code;
    };
    const setting = { host, stopping, end };
    const program = createProgram(setting);
    addOthers(program, setting);
    addCompletionCommand(program);
    try {
      await program.parseAsync();
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      return error.exitCode === 0 ? 0 : MISUSED;
    }
    return exitCode;
  });
}

export function createProgram(setting: Setting): Command {
  const { command, whereInstance } = setting.host;
  const program = new Command(command)
    .description("Akimbo from the command line: publish to thirteen networks, once.")
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError(`Add --help: ${command} --help`)
    .addHelpText("after", HELP + whereInstance + EXIT_CODES);
  addAccountsCommand(program, setting);
  addMentionsCommand(program, setting);
  addPostsCommands(program, setting);
  addStatusCommands(program, setting);
  addEditCommand(program, setting);
  addUnpublishCommand(program, setting);
  addUploadCommand(program, setting);
  addImportCommands(program, setting);
  addRehearseCommand(program, setting);
  addListenCommand(program, setting);
  addMcpCommand(program, setting);
  addLoginCommands(program, setting);
  return program;
}
