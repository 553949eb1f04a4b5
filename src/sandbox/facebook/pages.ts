import { digitsOf, Logins, usernameOf } from "../logins.ts";
import { type GraphCall, GraphError, unsupported } from "../meta-graph.ts";
import { pick } from "./call.ts";

export const PAGES_SCHEMA = `
CREATE TABLE IF NOT EXISTS facebook_pages (
  team_id INTEGER NOT NULL,
  login TEXT NOT NULL,
  page_id TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (team_id, login)
);
`;

export interface Page {
  id: string;
  name: string;
  /** Whose tokens act as the Page. */
  login: string;
}

/** A Page's token does not expire; this is a hundred years. */
const PAGE_TOKEN_SECONDS = 3_155_760_000;

const MAX_USERNAME = 50;

/** A token that a person's consent would have led to. It is that of the Page it names. */
const isGiven = (token: string): boolean => token.startsWith("sandbox.facebook.");

export const expiredToken = (): GraphError =>
  new GraphError(190, "Error validating access token: The session is invalid.", { subcode: 463 });

function findPage({ store, origin }: GraphCall, login: string): Page | null {
  const [row] = store.sql
    .exec<{ page_id: string; name: string }>(
      "SELECT page_id, name FROM facebook_pages WHERE team_id = ? AND login = ?",
      origin.teamId,
      login,
    )
    .toArray();
  return row ? { id: row.page_id, name: row.name, login } : null;
}

function savePage({ store, origin }: GraphCall, page: Page): Page {
  store.sql.exec(
    "INSERT OR IGNORE INTO facebook_pages (team_id, login, page_id, name) VALUES (?, ?, ?, ?)",
    origin.teamId,
    page.login,
    page.id,
    page.name,
  );
  return page;
}

/**
 * Whose token the call carries; the Page of a sandbox token comes into being here.
 *
 * @throws GraphError 104 without a token, 190 for one that is not good
 */
export async function authenticate(call: GraphCall): Promise<{ page: Page; token: string }> {
  const { store, origin, token } = call;
  if (token === null) {
    throw new GraphError(104, "An access token is required to request this resource.");
  }
  const name = new Logins(store, "facebook", origin).nameOf(token, "access");
  if (name === "expired") throw expiredToken();
  if (name === null) {
    throw new GraphError(190, "Invalid OAuth access token - Cannot parse access token");
  }
  const known = findPage(call, name);
  if (known) return { page: known, token };
  const id = `1${await digitsOf("facebook", name, 14)}`;
  return { page: savePage(call, { id, name, login: name }), token };
}

/** Gives a Page with its own token to whoever may act as it. */
function toObject(call: GraphCall, page: Page) {
  const { params, store, origin } = call;
  const wantsToken = /(?:^|,)access_token(?:,|$)/.test(params.get("fields") ?? "");
  const logins = new Logins(store, "facebook", origin);
  return {
    id: page.id,
    name: page.name,
    username: usernameOf(page.name, MAX_USERNAME),
    category: "Media",
    link: `https://www.facebook.com/${page.id}`,
    picture: undefined,
    followers_count: 0,
    fan_count: 0,
    access_token: wantsToken ? logins.issue(page.login, "access", PAGE_TOKEN_SECONDS) : undefined,
  };
}

export const readPage = (call: GraphCall, page: Page): Response =>
  Response.json(pick(call, toObject(call, page), ["id", "name"]));

/**
 * A person's token names the Page it is for. Whoever holds a sandbox token has a role in every Page: the
 * one of that id comes into being under the same name.
 */
export function readOtherPage(call: GraphCall, own: Page, token: string, id: string): Response {
  if (!isGiven(token) || !/^\d{5,20}$/.test(id)) {
    throw unsupported("GET", id);
  }
  const login = `${own.login} as ${id}`;
  return readPage(call, findPage(call, login) ?? savePage(call, { id, name: own.name, login }));
}

/** A path may name the Page by its id, or as `me`. */
export const isSelf = (page: Page, id: string): boolean => id === page.id || id === "me";
