import { type Command, InvalidArgumentError, Option } from "commander";
import { parseInstant } from "../core/time.ts";
import { type Api, createApi } from "./api.ts";
import { type ConnectionOptions, type Host, readConnection } from "./connection.ts";

export interface Setting {
  host: Host;
  stopping: AbortSignal;
  end(exitCode: number): void;
}

export interface ClientOptions extends ConnectionOptions {
  json?: boolean;
}

export const addClientCommand = (program: Command, name: string): Command =>
  program
    .command(name)
    .option("--url <url>", "the instance; default: AKIMBO_URL")
    .option(
      "--token <token>",
      "a token of it, which other users of this machine can see in its list of processes; default: AKIMBO_TOKEN",
    )
    .option("--token-file <path>", "a file that holds the token instead; - reads standard input");

export const withJson = (command: Command): Command =>
  command
    .option("--json", "JSON, as the API answers it; the default when the output is not a terminal")
    .option("--no-json", "a table, there too");

export const choice = (flags: string, description: string, values: readonly string[]): Option =>
  new Option(flags, description).choices(values);

export function choices(flags: string, description: string, values: readonly string[]): Option {
  const option = choice(flags, description, values);
  return option.argParser((value: string, all: string[] | undefined) => {
    if (values.includes(value)) return collect(value, all);
    throw new InvalidArgumentError(`Allowed choices are ${values.join(", ")}.`);
  });
}

/** @throws InvalidArgumentError for an invalid time */
export function toInstantText(input: string): string {
  if (parseInstant(input)) return input;
  throw new InvalidArgumentError("It is ISO 8601 with an offset, as 2026-12-24T18:00:00+01:00.");
}

/** Replaces the program's name in help examples with the command that the user typed. */
export const inWordsOf = ({ host }: Pick<Setting, "host">, examples: string): string =>
  examples.replaceAll(/^( +)akimbo /gm, `$1${host.command} `);

export const onlyGiven = <T extends object>(options: Record<string, string | undefined>): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;

export const collect = (value: string, all: string[] = []): string[] => [...all, value];

export async function openApi(options: ConnectionOptions, { host }: Setting): Promise<Api> {
  const { origin, credential } = await readConnection(options, host);
  return createApi(origin, credential);
}

export function show({ json }: ClientOptions, value: unknown, toText: () => string): void {
  console.log((json ?? !process.stdout.isTTY) ? JSON.stringify(value, null, 2) : toText());
}
