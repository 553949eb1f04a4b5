import type { Command } from "commander";
import { type Api, createApi } from "./api.ts";
import {
  type Connection,
  type ConnectionOptions,
  type Host,
  readConnection,
} from "./connection.ts";

/** A command is given where it runs, when it is to stop, and how it ends otherwise than with 0. */
export interface Setting {
  host: Host;
  stopping: AbortSignal;
  end(exitCode: number): void;
}

/** The options of every command that speaks to an instance. */
export interface ClientOptions extends ConnectionOptions {
  json?: boolean;
}

/** Adds a command that speaks to an instance. */
export const addClientCommand = (program: Command, name: string): Command =>
  program
    .command(name)
    .option("--url <url>", "the instance; default: AKIMBO_URL")
    .option("--token <token>", "a token of it; default: AKIMBO_TOKEN");

/** Adds the choice between a table and JSON, which is the default where no terminal shows it. */
export const withJson = (command: Command): Command =>
  command
    .option("--json", "JSON, as the API answers it; the default when the output is not a terminal")
    .option("--no-json", "a table, there too");

/** Examples for the help, with the program as a person calls it here. */
export const inWordsOf = ({ host }: Pick<Setting, "host">, examples: string): string =>
  examples.replaceAll(/^( +)akimbo /gm, `$1${host.command} `);

/** Leaves out the options that were not given; which values there are is for the API to say. */
export const onlyGiven = <T extends object>(options: Record<string, string | undefined>): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;

/** Collects an option that may be repeated. */
export const collect = (value: string, all: string[] = []): string[] => [...all, value];

export async function openApi(options: ConnectionOptions, { host }: Setting): Promise<Api> {
  const { origin, token } = await readConnection(options, host);
  return createApi(origin, token);
}

export const connectionOf = (options: ConnectionOptions, { host }: Setting): Promise<Connection> =>
  readConnection(options, host);

/** Shows a result: to people as text, to programs as JSON. */
export function show({ json }: ClientOptions, value: unknown, toText: () => string): void {
  console.log((json ?? !process.stdout.isTTY) ? JSON.stringify(value, null, 2) : toText());
}
