import { followersOf } from "../kit/audience.ts";
import { digitsOf, usernameOf } from "../kit/logins.ts";
import type { Refusal } from "../kit/refusal.ts";
import { integer, Table, text } from "../kit/table.ts";
import {
  type GraphCall,
  graphError,
  invalidParameter,
  topFields,
  unsupported,
} from "../meta/graph.ts";
import { pick } from "./call.ts";
import { isOfPerson, issuePageToken, loginsOf } from "./tokens.ts";

export const pages = new Table(
  "facebook_pages",
  { team_id: integer(), login: text(), page_id: text(), name: text() },
  { constraint: "PRIMARY KEY (team_id, login)" },
);

export interface Page {
  id: string;
  name: string;
  login: string;
}

const MAX_USERNAME = 50;

export const expiredToken = (): Refusal =>
  graphError(190, "Error validating access token: The session is invalid.", { subcode: 463 });

function findPage({ env: { store, origin } }: GraphCall, login: string): Page | null {
  const row = pages.find(store, { team_id: origin.teamId, login });
  return row && { id: row.page_id, name: row.name, login };
}

export function savePage({ env: { store, origin } }: GraphCall, page: Page): Page {
  const { id: page_id, name, login } = page;
  pages.insert(store, { team_id: origin.teamId, login, page_id, name }, "OR IGNORE");
  return page;
}

/**
 * A sandbox token's first call creates the Page.
 *
 * @throws Refusal 104 without a token, 190 for an invalid one
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
  const existing = findPage(call, name);
  if (existing) return { page: existing, token };
  return { page: savePage(call, await ownPageOf(name)), token };
}

/** A Page with this suffix refuses posts: its user may not publish. */
export const READ_ONLY = " (read only)";

export const mayPublish = ({ name }: Page): boolean => !name.endsWith(READ_ONLY);

/** A Page with this suffix has too few likes for insights. */
const UNKNOWN = " (few likes)";
/** Pages with fewer likes have no insights. Source: Meta, "Page Insights", limitations. */
const INSIGHTS_LIKES = 100;

const likesOf = ({ id, name }: Page): number =>
  name.endsWith(UNKNOWN) ? INSIGHTS_LIKES - 1 : followersOf(`facebook ${id}`);

export const hasInsights = (page: Page): boolean => likesOf(page) >= INSIGHTS_LIKES;

const READING = ["ANALYZE", "ADVERTISE", "MODERATE"];

export const ownPageOf = async (person: string): Promise<Page> => ({
  id: `1${await digitsOf("facebook", person, 14)}`,
  name: person,
  login: person,
});

export function toObject(call: GraphCall, page: Page, token: string, usual: string[] = []) {
  const wantsToken = /(?:^|,)access_token(?:,|$)/.test(
    call.var.params.get("fields") ?? usual.join(","),
  );
  return {
    id: page.id,
    name: page.name,
    username: usernameOf(page.name, MAX_USERNAME),
    category: "Media",
    link: `https://www.facebook.com/${page.id}`,
    picture: undefined,
    followers_count: likesOf(page),
    fan_count: likesOf(page),
    tasks: mayPublish(page) ? [...READING, "CREATE_CONTENT", "MANAGE"] : READING,
    access_token: wantsToken ? issuePageToken(call, page.login, token) : undefined,
  };
}

export const userIdOf = async (person: string): Promise<string> =>
  `9${await digitsOf("facebook", `person ${person}`, 17)}`;

export async function readPage(
  call: GraphCall,
  page: Page,
  token: string,
  id: string,
): Promise<Response> {
  const kind = loginsOf(call).find(token)?.kind;
  if (id === "me" && (kind === "person" || kind === "short")) {
    if (topFields(call.var.params.get("fields") ?? "").includes("category")) {
      throw invalidParameter("Tried accessing nonexisting field (category) on node type (User)");
    }
    const person = { id: await userIdOf(page.login), name: page.login, picture: undefined };
    return Response.json(pick(call, person, ["id", "name"]));
  }
  return Response.json(pick(call, toObject(call, page, token), ["id", "name"]));
}

/** A sandbox token's person has a role in every Page: an unknown id creates a Page under the person's name. */
export async function readOtherPage(
  call: GraphCall,
  own: Page,
  token: string,
  id: string,
): Promise<Response> {
  if (!isOfPerson(call, token) || !/^\d{5,20}$/.test(id)) {
    throw unsupported("GET", id);
  }
  const login = `${own.login} as ${id}`;
  const page = findPage(call, login) ?? savePage(call, { id, name: own.name, login });
  return readPage(call, page, token, id);
}

export const isSelf = (page: Page, id: string): boolean => id === page.id || id === "me";
