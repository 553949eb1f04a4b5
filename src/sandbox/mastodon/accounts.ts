import { followersOf } from "../kit/audience.ts";
import { hasScope } from "../kit/codes.ts";
import { bearerOf } from "../kit/input.ts";
import { digitsOf, Logins, usernameOf } from "../kit/logins.ts";
import type { Call } from "../kit/simulator.ts";
import { refusal, serverOf, unauthorized } from "./call.ts";

export interface Account {
  id: string;
  username: string;
  name: string;
}

const MAX_USERNAME = 30;

export async function toAccount(name: string): Promise<Account> {
  const id = `11${await digitsOf("mastodon", name, 16)}`;
  return { id, username: usernameOf(name, MAX_USERNAME), name };
}

export const loginsOf = ({ env: { store, origin } }: Call) =>
  new Logins(store.sql, "mastodon", origin);

/** @param scope of the consent, or the wider one that contains it */
export async function authenticate(
  call: Call,
  scope: string,
): Promise<{ account: Account; token: string }> {
  const token = bearerOf(call) ?? "";
  const name = loginsOf(call).liveNameOf(token, "access");
  if (name === null) throw unauthorized();
  const [wide = ""] = scope.split(":");
  if (!hasScope(call, "mastodon", name, scope, wide)) {
    throw refusal(403, "This action is outside the authorized scopes");
  }
  return { account: await toAccount(name), token };
}

export const shownAccount = (call: Call, { id, username, name }: Account) => ({
  id,
  username,
  acct: username,
  display_name: name,
  locked: false,
  bot: false,
  created_at: "2020-01-01T00:00:00.000Z",
  note: "",
  url: `${serverOf(call)}/@${username}`,
  uri: `${serverOf(call)}/users/${username}`,
  avatar: `${serverOf(call)}/avatars/original/missing.png`,
  avatar_static: `${serverOf(call)}/avatars/original/missing.png`,
  followers_count: followersOf(`mastodon ${id}`),
  following_count: 0,
  statuses_count: 0,
});

/** What posts have that say nothing else. An account with "careful" in its name chose otherwise. */
export const choicesOf = ({ name }: Account) =>
  /\bcareful\b/i.test(name)
    ? ({ privacy: "unlisted", sensitive: true, language: "de" } as const)
    : ({ privacy: "public", sensitive: false, language: "en" } as const);

export async function verifyCredentials(call: Call): Promise<Response> {
  const { account } = await authenticate(call, "read:accounts");
  const source = { ...choicesOf(account), note: "", fields: [] };
  return Response.json({ ...shownAccount(call, account), source });
}

const NOBODY = /^(?:nobody|unknown)/i;

export async function searchAccounts(call: Call): Promise<Response> {
  await authenticate(call, "read:accounts");
  const query = call.req.query("q") ?? "";
  if (query.trim() === "" || NOBODY.test(query)) return Response.json([]);
  const own = await toAccount(query);
  const shown = shownAccount(call, own);
  const remote = {
    ...shown,
    acct: `${own.username}@remote.sandbox.test`,
    url: `https://remote.sandbox.test/@${own.username}`,
  };
  return Response.json([shown, remote]);
}
