import { randomUUID } from "node:crypto";
import { SCOPE_WORDS } from "../../core/scope-words.ts";
import type { Scope } from "../../core/scopes.ts";
import type { Setting } from "../client-command.ts";
import { type ConnectionOptions, chooseOrigin, toLoginOrigin } from "../connection.ts";
import { Problem } from "../program.ts";
import { TRY_LATER } from "../retry.ts";
import { chooseFlow, type FlowOptions, openBrowser } from "./browser.ts";
import { toLogin } from "./credential.ts";
import { signInByCode } from "./device-code.ts";
import { signInByBrowser } from "./loopback.ts";
import { discover, post } from "./server.ts";
import { loginPath, prepareLogin, readLogin, removeFile, withLock, writeLogin } from "./store.ts";

/** What the commands and the bridge need. Rehearsals and tokens take a token with all scopes. */
const DEFAULT_SCOPES: readonly Scope[] = [
  "accounts:read",
  "posts:read",
  "posts:write",
  "posts:publish",
  "analytics:read",
  "webhooks:read",
];

export interface LoginOptions extends Pick<ConnectionOptions, "url">, FlowOptions {
  scope?: string;
}

/** @throws Problem for a refused sign-in */
export async function logIn(options: LoginOptions, { host, stopping }: Setting): Promise<void> {
  const origin = toLoginOrigin(await chooseOrigin(options, host));
  const server = await discover(origin);
  const path = loginPath(origin, process.env);
  const warning = await prepareLogin(path);
  if (warning) console.error(warning);
  const { scope = DEFAULT_SCOPES.join(" ") } = options;
  const request = { server, scope, stopping, resource: `${origin}/api/v1` };
  const flow = chooseFlow(options);
  const tokens =
    flow === "code"
      ? await signInByCode({ ...request, show: (lines) => console.log(lines.join("\n")) })
      : await signInByBrowser({
          ...request,
          show: (address) => {
            console.log(`Open this address in a browser of this machine:\n\n  ${address}\n`);
            if (flow === "browser") openBrowser(address);
          },
        });
  const { tokenEndpoint, revocationEndpoint } = server;
  const login = {
    id: randomUUID(),
    ...toLogin(tokens, Date.now()),
    tokenEndpoint,
    revocationEndpoint,
  };
  const previous = await withLock(path, async () => {
    const replaced = await readLogin(path).catch(() => null);
    await writeLogin(path, login);
    return replaced;
  });
  console.log(describe(origin, scope.split(/\s+/), tokens.scope.split(" ")));
  // The person can end one that stays, on the page Tokens.
  if (previous) await post(previous.revocationEndpoint, tokenOf(previous)).catch(() => {});
}

const tokenOf = ({ refreshToken }: { refreshToken: string }) => ({ token: refreshToken });

const wordsOf = (scopes: readonly string[]): string =>
  scopes.map((scope) => SCOPE_WORDS[scope as Scope] ?? scope).join(", ");

function describe(origin: string, asked: readonly string[], granted: readonly string[]): string {
  const lacking = asked.filter((scope) => scope !== "" && !granted.includes(scope));
  const lines = [`You are signed in to ${origin}.`, `Allowed: ${wordsOf(granted)}.`];
  if (lacking.length > 0) lines.push(`Not allowed: ${wordsOf(lacking)}.`);
  return lines.join("\n");
}

/** @throws Problem without a login, and when the instance could not end it */
export async function logOut(
  options: Pick<ConnectionOptions, "url">,
  { host }: Setting,
): Promise<void> {
  const origin = toLoginOrigin(await chooseOrigin(options, host));
  const path = loginPath(origin, process.env);
  await withLock(path, async () => {
    const login = await readLogin(path).catch(() => null);
    await removeFile(path);
    if (!login) throw new Problem(`You are not signed in to ${origin}.`);
    await post(login.revocationEndpoint, tokenOf(login)).catch((error: Error) => {
      throw new Problem(
        `The login is removed from this machine, but ${error.message}\nEnd it at ${origin}/app/tokens.`,
        TRY_LATER,
      );
    });
  });
  console.log(`You are signed out of ${origin}.`);
}
