import { now } from "../../core/clock.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { consentedAt, scopesOf } from "../kit/codes.ts";
import { digitsOf } from "../kit/logins.ts";
import { idOf } from "../kit/simulator.ts";
import { type GraphCall, graphError, invalidParameter, unsupported } from "../meta/graph.ts";
import { pick } from "./call.ts";
import {
  authenticate,
  ownPageOf,
  type Page,
  READ_ONLY,
  savePage,
  toObject,
  userIdOf,
} from "./pages.ts";
import { CODE_SECONDS, ENDLESS_MS, isOfPerson, loginsOf } from "./tokens.ts";

const USUAL_SCOPES = [
  "pages_show_list",
  "pages_read_engagement",
  "pages_manage_posts",
  "business_management",
];

const hasNone = (person: string): boolean => /\bno pages?\b/i.test(person);
const hasPortfolio = (person: string): boolean => /\bportfolio\b/i.test(person);

export async function pagesOf(call: GraphCall, person: string): Promise<Page[]> {
  if (hasNone(person)) return [];
  const own = await ownPageOf(person);
  const isAlone = /\bone page\b/i.test(person);
  const ends = isAlone ? [] : hasPortfolio(person) ? [" Studio"] : [" Studio", READ_ONLY];
  const others = ends.map(async (end): Promise<Page> => {
    const name = person + end;
    const id = `1${await digitsOf("facebook", name, 14)}`;
    return { id, name, login: `${person} as ${id}` };
  });
  return [own, ...(await Promise.all(others))].map((page) => savePage(call, page));
}

export async function isGranted(call: GraphCall, { login }: Page, id: string): Promise<boolean> {
  if (scopesOf(call, "facebook", login) === null) return true;
  return (await pagesOf(call, login)).some((page) => page.id === id);
}

async function personOf(
  call: GraphCall,
): Promise<{ person: string; token: string; scopes: string[] }> {
  const { page, token } = await authenticate(call);
  if (!isOfPerson(call, token)) {
    throw invalidParameter("Tried accessing nonexisting field on node type (Page)");
  }
  const person = page.login;
  return { person, token, scopes: scopesOf(call, "facebook", person) ?? USUAL_SCOPES };
}

function requireScope(scopes: readonly string[], scope: string): void {
  if (!scopes.includes(scope)) throw graphError(200, `(#200) Requires ${scope} permission`);
}

/** Source: Meta, "Paginated Results". */
const USUAL_LIMIT = 25;
const MAX_LIMIT = 100;

function paged(call: GraphCall, items: Record<string, unknown>[], token: string): Response {
  const { params } = call.var;
  const limit = Number(params.get("limit") ?? USUAL_LIMIT);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw invalidParameter("Param limit must be a number between 1 and 100");
  }
  const after = params.get("after") ?? "";
  const from = after === "" ? 0 : Number(/^p(\d{1,9})$/.exec(after)?.[1] ?? Number.NaN);
  if (Number.isNaN(from)) throw invalidParameter("Invalid cursors values");
  const data = items.slice(from, from + limit);
  if (data.length === 0) return Response.json({ data });
  const end = from + data.length;
  const cursors = { before: `p${from}`, after: `p${end}` };
  const next = new URL(call.req.url);
  next.searchParams.set("access_token", token);
  next.searchParams.set("after", cursors.after);
  return Response.json({
    data,
    paging: { cursors, ...(end < items.length ? { next: next.href } : {}) },
  });
}

/** Source: Meta, "Accounts" of a user. */
const LISTED = ["access_token", "category", "name", "id", "tasks"];

const toItem = (call: GraphCall, page: Page, token: string, isBare = false) => {
  const { access_token, ...object } = toObject(call, page, token, LISTED);
  const whole = { ...object, access_token: isBare ? undefined : access_token };
  return pick(call, whole, LISTED);
};

/** Omits Pages of a business portfolio. */
export async function listAccounts(call: GraphCall): Promise<Response> {
  const { person, token, scopes } = await personOf(call);
  requireScope(scopes, "pages_show_list");
  const pages = hasPortfolio(person) ? [] : await pagesOf(call, person);
  const items = pages.map((page) => toItem(call, page, token));
  return paged(call, items, token);
}

const businessIdOf = async (person: string): Promise<string> =>
  `7${await digitsOf("facebook", `business ${person}`, 14)}`;

export async function listBusinesses(call: GraphCall): Promise<Response> {
  const { person, token, scopes } = await personOf(call);
  requireScope(scopes, "business_management");
  if (!hasPortfolio(person)) return paged(call, [], token);
  const business = { id: await businessIdOf(person), name: `${person} Ltd` };
  return paged(call, [pick(call, business, ["id", "name"])], token);
}

const ofBusiness =
  (pagesIn: (call: GraphCall, person: string) => Promise<Page[]>) =>
  async (call: GraphCall): Promise<Response> => {
    const { person, token, scopes } = await personOf(call);
    requireScope(scopes, "business_management");
    const id = idOf(call);
    if (!hasPortfolio(person) || id !== (await businessIdOf(person))) throw unsupported("GET", id);
    const pages = await pagesIn(call, person);
    // Meta omits the token of people without a role in the Page itself.
    const items = pages.map((page) => toItem(call, page, token, true));
    return paged(call, items, token);
  };

export const listOwnedPages = ofBusiness(pagesOf);
export const listClientPages = ofBusiness(async () => []);

export async function listPermissions(call: GraphCall): Promise<Response> {
  const { scopes } = await personOf(call);
  const granted = ["public_profile", ...scopes.filter((scope) => scope !== "public_profile")];
  return Response.json({
    data: granted.map((permission) => ({ permission, status: "granted" })),
  });
}

/** A person with "active" in their name never stops using the app; others last did when they consented. */
const lastActive = (call: GraphCall, person: string): number =>
  (/\bactive\b/i.test(person) ? null : consentedAt(call, "facebook", person, CODE_SECONDS)) ??
  now().getTime();

/** Meta can limit these to individual Pages. Source: Meta, "Debug Token", granular_scopes. */
const OF_PAGES = /^pages_/;

export async function debugToken(call: GraphCall): Promise<Response> {
  if (!/^[^|]+\|[^|]+$/.test(call.var.token ?? "")) {
    throw invalidParameter(
      "You must provide an app access token, or a user access token that is an owner or developer of the app",
    );
  }
  const token = call.var.params.get("input_token") ?? "";
  const login = loginsOf(call).find(token);
  if (!login) {
    const error = { code: 190, message: "Malformed access token" };
    return Response.json({ data: { error, is_valid: false, scopes: [] } });
  }
  const at = now().getTime();
  const isEndless = login.expires_at - at > ENDLESS_MS;
  const person = login.name.replace(/ as \d+$/, "");
  const scopes = scopesOf(call, "facebook", person) ?? USUAL_SCOPES;
  const target_ids = (await pagesOf(call, person)).map(({ id }) => id);
  return Response.json({
    data: {
      app_id: "100000000000001",
      type: login.kind === "access" ? "PAGE" : "USER",
      application: "Sandbox",
      is_valid: login.expires_at > at,
      expires_at: isEndless ? 0 : Math.floor(login.expires_at / SECOND),
      data_access_expires_at: Math.floor((lastActive(call, person) + 90 * DAY) / SECOND),
      scopes,
      granular_scopes: scopes.map((scope) =>
        OF_PAGES.test(scope) ? { scope, target_ids } : { scope },
      ),
      user_id: await userIdOf(person),
    },
  });
}
