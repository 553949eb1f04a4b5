import { readFile } from "node:fs/promises";
import { text as readText } from "node:stream/consumers";
import { Misuse, Problem } from "./program.ts";

/** The instance that the commands speak to, and the token by which they do. */
export interface Connection {
  origin: string;
  token: string;
  /** Says what to do where nothing answers there. */
  remedy: string;
}

/** The options of every command that speaks to an instance. */
export interface ConnectionOptions {
  url?: string;
  token?: string;
  /** A file that holds the token; `-` is standard input. */
  tokenFile?: string;
}

/** A place where the address of an instance and a token stand. */
export interface Source {
  url?: string | null | undefined;
  token?: string | null | undefined;
  remedy: string;
}

type Env = NodeJS.ProcessEnv;

/** Where the program runs: in the folder of the project, or from the package on any machine. */
export interface Host {
  /** The program as a person calls it. */
  command: string;
  /** The folder where what is known of uploads is kept. */
  uploadsFolder(env: Env): string;
  /** The instance where neither an option nor the environment names one. */
  findInstance(env: Env): Promise<Source>;
  /** The instance of `findInstance` in words. */
  whereInstance: string;
  /** Told to who names no instance, or no token of theirs. */
  advice: string;
}

/**
 * Chooses the instance: that of the options, of AKIMBO_URL, or of the host. A token is sent to no other instance than
 * the one it stands beside.
 *
 * @throws Misuse
 */
export async function readConnection(
  options: ConnectionOptions,
  host: Host,
  env: Env = process.env,
): Promise<Connection> {
  const token = await tokenOf(options);
  const sources: Source[] = [
    { url: options.url, token, remedy: "Check --url." },
    { url: env.AKIMBO_URL, token: env.AKIMBO_TOKEN, remedy: "Check AKIMBO_URL." },
    await host.findInstance(env),
  ];
  const named = sources.find(({ url }) => url);
  if (!named?.url) throw new Misuse(`Which instance? ${host.advice}`);
  const origin = toOrigin(named.url);
  const own = sources.find(({ url, token }) => token && (!url || toOrigin(url) === origin));
  if (own?.token) return { origin, token: own.token, remedy: named.remedy };
  if (named === sources[1]) {
    throw new Misuse("AKIMBO_URL needs AKIMBO_TOKEN too: a token of that server.");
  }
  throw new Misuse(`There is no token for ${origin}. ${host.advice}`);
}

/** Other programs of the machine see the options of a command, but not what a file or standard input holds. */
const STDIN = "-";

/**
 * Reads the token of the options; undefined where they name none.
 *
 * @throws Misuse when two are named; Problem when the file cannot be read or is empty
 */
async function tokenOf({ token, tokenFile }: ConnectionOptions): Promise<string | undefined> {
  if (tokenFile === undefined) return token;
  if (token !== undefined) {
    throw new Misuse("--token and --token-file both name a token. Leave one of them out.");
  }
  const source = tokenFile === STDIN ? "Standard input" : tokenFile;
  const content = await (tokenFile === STDIN
    ? readText(process.stdin)
    : readFile(tokenFile, "utf8")
  ).catch((error: Error) => {
    throw new Problem(`${source} cannot be read: ${error.message}`);
  });
  const read = content.trim();
  if (read !== "") return read;
  throw new Problem(`${source} holds no token. Write it there, beginning with kmb_.`);
}

/** @throws Misuse for what is no address of the web */
function toOrigin(url: string): string {
  const protocol = URL.canParse(url) ? new URL(url).protocol : null;
  if (protocol === "http:" || protocol === "https:") return url.replace(/\/+$/, "");
  throw new Misuse(`${url} is not the address of an instance, such as https://akimbo.example.com.`);
}
