import { readFile } from "node:fs/promises";
import { text as readText } from "node:stream/consumers";
import { type Credential, ofLogin, ofToken } from "./login/credential.ts";
import { listLogins, loginPath, readLogin } from "./login/store.ts";
import { Misuse, Problem } from "./program.ts";

export interface Connection {
  origin: string;
  credential: Credential;
  /** Tells the callers of one instance apart: the token, or the id of a login, whose tokens change. */
  holder: string;
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
 * A token is only sent to the instance that is configured beside it. A login goes behind a token that the user names,
 * and before the host's own.
 *
 * @throws Misuse without an address or a token; Problem for an unreadable token file
 */
export async function readConnection(
  options: ConnectionOptions,
  host: Host,
  env: Env = process.env,
): Promise<Connection> {
  const token = await tokenOf(options);
  const [ofOptions, ofEnv, ofHost] = await sourcesOf({ ...options, token }, host, env);
  const { origin, remedy } = await nameOrigin([ofOptions, ofEnv, ofHost], host, env);
  const isFor = ({ url, token }: Source) => token && (!url || toOrigin(url) === origin);
  const withToken = ({ token = "" }: Source): Connection => ({
    origin,
    credential: ofToken(token ?? ""),
    holder: token ?? "",
    remedy,
  });
  const explicit = [ofOptions, ofEnv].find(isFor);
  if (explicit) return withToken(explicit);
  const path = loginPath(toLoginOrigin(origin), env);
  const login = await readLogin(path);
  const signIn = `${host.command} login --url ${origin}`;
  if (login) {
    const credential = ofLogin({ origin, path, remedy: signIn });
    return { origin, credential, holder: login.id, remedy };
  }
  if (isFor(ofHost)) return withToken(ofHost);
  if (!ofOptions.url && ofEnv.url) {
    throw new Misuse(
      `AKIMBO_URL needs AKIMBO_TOKEN too: a token of that server. Or sign in: ${signIn}`,
    );
  }
  const logins = await listLogins(env);
  const others = logins.length > 0 ? ` You are signed in to ${logins.join(", ")}: --url.` : "";
  throw new Misuse(
    `There is no token for ${origin}.${others} ${host.advice} Or sign in: ${signIn}`,
  );
}

/** The instance that the user means, for a sign-in. @throws Misuse without one */
export async function chooseOrigin(
  options: Pick<ConnectionOptions, "url">,
  host: Host,
  env: Env = process.env,
): Promise<string> {
  return (await nameOrigin(await sourcesOf(options, host, env), host, env)).origin;
}

const sourcesOf = async (
  { url, token }: ConnectionOptions,
  host: Host,
  env: Env,
): Promise<[Source, Source, Source]> => [
  { url, token, remedy: "Check --url." },
  { url: env.AKIMBO_URL, token: env.AKIMBO_TOKEN, remedy: "Check AKIMBO_URL." },
  await host.findInstance(env),
];

/** Without another address, an only login names the instance. */
async function nameOrigin(sources: readonly Source[], host: Host, env: Env) {
  const named = sources.find(({ url }) => url);
  if (named?.url) return { origin: toOrigin(named.url), remedy: named.remedy };
  const [only, ...others] = await listLogins(env);
  if (only === undefined) {
    const signIn = `${host.command} login --url https://…`;
    throw new Misuse(`Which instance? ${host.advice} Or sign in: ${signIn}`);
  }
  if (others.length === 0) return { origin: only, remedy: "Check --url." };
  const all = [only, ...others].join(", ");
  throw new Misuse(`Which instance? You are signed in to ${all}: pass one as --url.`);
}

/** Sign-ins are of the whole server, whose address is compared letter by letter. */
export const toLoginOrigin = (origin: string): string => new URL(origin).origin;

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
