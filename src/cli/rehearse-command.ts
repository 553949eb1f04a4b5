import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { PLATFORMS } from "../core/platforms.ts";
import {
  addClientCommand,
  type ClientOptions,
  inWordsOf,
  openApi,
  type Setting,
  show,
  withJson,
} from "./client-command.ts";
import { OWNER_ONLY } from "./dev-vars.ts";
import { Misuse, Problem } from "./program.ts";
import { describeLeft, rehearse, type Terminal } from "./rehearse.ts";
import { retrying } from "./retry.ts";

interface RehearseOptions extends ClientOptions {
  account?: string;
  note?: string;
  yes?: boolean;
  left?: boolean;
  forget?: string;
  record?: string;
}

export function addRehearseCommand(program: Command, setting: Setting): void {
  const command = withJson(addClientCommand(program, "rehearse"));
  command
    .description(
      "publishes one post with a connected account, as hidden as the platform can, reads it back and deletes it",
    )
    .addArgument(command.createArgument("[platform]", "the platform").choices(PLATFORMS))
    .option("--account <id>", "which account; default: the only one of the platform")
    .option("--yes", "does not ask before a post that others can see")
    .option("--note <text>", "words at the end of the post's text")
    .option("--record <file>", "adds the calls and the platform's answers to this file")
    .option("--left", "says what rehearsals may have left at the platforms")
    .option("--forget <number>", "forgets a rehearsal whose post you deleted by hand")
    .addHelpText("after", inWordsOf(setting, HELP))
    .action(async (platform: string | undefined, options: RehearseOptions) => {
      const isOther = options.left === true || options.forget !== undefined;
      if (isOther === (platform !== undefined)) {
        throw new Misuse("Name one platform, or say --left, or --forget with a number.");
      }
      const api = await openApi(options, setting);
      if (options.forget !== undefined) {
        await api.forgetRehearsal(toNumber(options.forget), false);
        console.log("Forgotten.");
        return;
      }
      if (platform === undefined) {
        const left = await retrying(() => api.listRehearsals());
        const accounts = left.length > 0 ? await retrying(() => api.listAccounts()) : [];
        show(options, left, () => describeLeft(left, accounts) || "Rehearsals have left nothing.");
        return;
      }
      const { account, note, record, yes: isAgreed = false } = options;
      const say = () =>
        console.error(
          `\nRepeat the command to go on. What may be out: ${setting.host.command} rehearse --left`,
        );
      setting.stopping.addEventListener("abort", say, { once: true });
      try {
        const request = { platform, account, note, record, isAgreed };
        const { exitCode, ...ended } = await rehearse(api, request, openTerminal(options, setting));
        if (isJson(options)) show({ json: true }, ended, () => "");
        if (exitCode !== 0) setting.end(exitCode);
      } finally {
        setting.stopping.removeEventListener("abort", say);
      }
    });
}

const HELP = `
Examples:
  akimbo rehearse youtube
  akimbo rehearse x --yes --record rehearsal.txt
  akimbo rehearse --left

It needs a token of the team's owner. The record holds no tokens, but texts and ids of the
account: read it before you attach it to a bug report. The exit code is 1 when the platform
did not take the post. (In the project's folder, \`npm run rehearse\` is something else: it
deploys to a stand-in for Cloudflare.)`;

/** @throws Misuse for text that is not a number */
function toNumber(input: string): number {
  if (/^\d{1,15}$/.test(input)) return Number(input);
  throw new Misuse(`"${input}" is not the number of a rehearsal; --left shows the numbers.`);
}

const isJson = ({ json }: ClientOptions): boolean => json ?? !process.stdout.isTTY;

async function askOnTerminal(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(question)).trim());
  } finally {
    lines.close();
  }
}

/** The file's text before this command. */
function readRecord(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? readFileSync(path, "utf8") : "";
}

function openTerminal(options: RehearseOptions, { host, stopping }: Setting): Terminal {
  const { record } = options;
  const tell = isJson(options) ? console.error : console.log;
  let before: string | undefined;
  return {
    ask: process.stdin.isTTY && process.stderr.isTTY ? askOnTerminal : null,
    tell: (line) => tell(line),
    keep: (text) => {
      if (record === undefined) return;
      try {
        before ??= readRecord(record);
        const gap = before !== "" && text !== "" ? "\n" : "";
        writeFileSync(record, before + gap + text, { mode: OWNER_ONLY });
      } catch (error) {
        throw new Problem(`${record} cannot be written: ${(error as Error).message}`);
      }
    },
    sleep: async (ms) => {
      await sleep(ms, undefined, { signal: stopping });
    },
    command: host.command,
  };
}
