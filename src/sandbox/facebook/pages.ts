import { digitsOf, usernameOf } from "../kit/logins.ts";
import type { Refusal } from "../kit/refusal.ts";
import { integer, Table, text } from "../kit/table.ts";
import { type GraphCall, graphError, invalidParameter, unsupported } from "../meta/graph.ts";
import { pick, topFields } from "./call.ts";
import { isOfPerson, issuePageToken, loginsOf } from "./tokens.ts";

export const pages = new Table(
  "facebook_pages",
  { team_id: integer(), login: text(), page_id: text(), name: text() },
  { constraint: "PRIMARY KEY (team_id, login)" },
);

export interface Page {
  id: string;
  name: string;
  /** The login whose tokens act as the Page. */
  login: string;
}

const MAX_USERNAME = 50;

export const expiredToken = (): Refusal =>
  graphError(190, "Error validating access token: The session is invalid.", { subcode: 463 });

function findPage({ env: { store, origin } }: GraphCall, login: string): Page | null {
  const row = pages.find(store, { team_id: origin.teamId, login });
  return row && { id: row.page_id, name: row.name, login };
}

function savePage({ env: { store, origin } }: GraphCall, page: Page): Page {
  const { id: page_id, name, login } = page;
  pages.insert(store, { team_id: origin.teamId, login, page_id, name }, "OR IGNORE");
  return page;
}

/**
 * The Page whose token the call carries, and the token. Creates the Page of a sandbox token.
 *
 * @throws Refusal 104 without a token, 190 for one that is not good
 */
export async function authenticate(call: GraphCall): Promise<{ page: Page; token: string }> {
  const { token } = call.var;
  if (token === null) {
    throw graphError(104, "An access token is required to request this resource.");
  }
  const name = loginsOf(call).nameOf(token, "access", "person", "short");
  if (name === "expired") throw expiredToken();
  if (name === null) {
    throw graphError(190, "Invalid OAuth access token - Cannot parse access token");
  }
  const known = findPage(call, name);
  if (known) return { page: known, token };
  const id = `1${await digitsOf("facebook", name, 14)}`;
  return { page: savePage(call, { id, name, login: name }), token };
}

/** Gives a Page with its own token to whoever may act as it. */
function toObject(call: GraphCall, page: Page, token: string) {
  const wantsToken = /(?:^|,)access_token(?:,|$)/.test(call.var.params.get("fields") ?? "");
  return {
    id: page.id,
    name: page.name,
    username: usernameOf(page.name, MAX_USERNAME),
    category: "Media",
    link: `https://www.facebook.com/${page.id}`,
    picture: undefined,
    followers_count: 0,
    fan_count: 0,
    access_token: wantsToken ? issuePageToken(call, page.login, token) : undefined,
  };
}

/** @throws Refusal for a field of Pages that a person's own token asks of the person */
export function readPage(call: GraphCall, page: Page, token: string, id: string): Response {
  const kind = loginsOf(call).find(token)?.kind;
  const isPerson = id === "me" && (kind === "person" || kind === "short");
  if (isPerson && topFields(call.var.params.get("fields") ?? "").includes("category")) {
    throw invalidParameter("Tried accessing nonexisting field (category) on node type (User)");
  }
  return Response.json(pick(call, toObject(call, page, token), ["id", "name"]));
}

/**
 * A person's token names the Page it is for. The holder of a sandbox token has a role in every Page: the
 * Page of that id is created under the same name.
 */
export function readOtherPage(call: GraphCall, own: Page, token: string, id: string): Response {
  if (!isOfPerson(call, token) || !/^\d{5,20}$/.test(id)) {
    throw unsupported("GET", id);
  }
  const login = `${own.login} as ${id}`;
  const page = findPage(call, login) ?? savePage(call, { id, name: own.name, login });
  return readPage(call, page, token, id);
}

/** A path may name the Page by its id, or as `me`. */
export const isSelf = (page: Page, id: string): boolean => id === page.id || id === "me";
