import { readFile } from "node:fs/promises";
import { text as readText } from "node:stream/consumers";
import { Misuse, Problem } from "./program.ts";

export interface Connection {
  origin: string;
  token: string;
  remedy: string;
}

export interface ConnectionOptions {
  url?: string;
  token?: string;
  /** Path of a file with the token. `-` means standard input. */
  tokenFile?: string;
}

export interface Source {
  url?: string | null | undefined;
  token?: string | null | undefined;
  remedy: string;
}

type Env = NodeJS.ProcessEnv;

export interface Host {
  command: string;
  uploadsFolder(env: Env): string;
  findInstance(env: Env): Promise<Source>;
  whereInstance: string;
  advice: string;
}

/**
 * A token is only sent to the instance that is configured beside it.
 *
 * @throws Misuse without an address or a token; Problem for an unreadable token file
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

/** Other programs on the machine can read command options, but not standard input. */
const STDIN = "-";

/** @throws Misuse for two tokens; Problem for an unreadable or empty file */
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

/** @throws Misuse for text that is not a web address */
function toOrigin(url: string): string {
  const protocol = URL.canParse(url) ? new URL(url).protocol : null;
  if (protocol === "http:" || protocol === "https:") return url.replace(/\/+$/, "");
  throw new Misuse(`${url} is not the address of an instance, such as https://akimbo.example.com.`);
}
