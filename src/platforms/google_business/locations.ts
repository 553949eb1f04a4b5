import { ok, type Result, refuse } from "../../core/result.ts";
import type { Fetch } from "../connector.ts";
import { inTurns } from "../kit/metrics.ts";
import {
  type Account,
  type GoogleRefusal,
  type Location,
  listAccountsRequest,
  listLocationsRequest,
  type Reading,
  readListAccountsReply,
  readListLocationsReply,
  readPages,
} from "./api.ts";
import { isAboutProject, isTemporary, isTokenRefusal } from "./failures.ts";

/** As many as a person can choose from. */
const MAX_LOCATIONS = 500;
/** Cloudflare's free plan allows 50 calls per invocation. */
const MAX_ACCOUNT_PAGES = 2;
const MAX_ACCOUNTS = 30;
const MAX_LOCATION_PAGES = 5;
const MAX_CALLS = 40;

export interface ListedLocation {
  /** `accounts/…/locations/…`, as posts need it: a location does not name its account. */
  path: string;
  title: string | null;
  mayPost: boolean;
}

const isPersonal = ({ type }: Account): boolean => type === "PERSONAL";

/**
 * A location may be listed by several accounts. Groups come first, because all people who manage one see it under the
 * same id.
 */
const inOrder = (accounts: readonly Account[]): Account[] =>
  accounts.toSorted(
    (one, other) =>
      Number(isPersonal(one)) - Number(isPersonal(other)) || (one.name < other.name ? -1 : 1),
  );

export const listAccounts = (fetch: Fetch, token: string): Reading<{ items: Account[] }> =>
  readPages(async (page) => {
    const reply = await readListAccountsReply(await fetch(listAccountsRequest(token, page)));
    if (!reply.ok) return reply;
    return ok({ items: reply.value.accounts, next: reply.value.nextPageToken });
  }, MAX_ACCOUNT_PAGES);

export async function listLocationsOf(
  fetch: Fetch,
  token: string,
  accountName: string,
  maxPages = MAX_LOCATION_PAGES,
): Reading<ListedLocation[]> {
  const listed = await readPages<Location>(async (page) => {
    const request = listLocationsRequest(token, accountName, page);
    const reply = await readListLocationsReply(await fetch(request));
    if (!reply.ok) return reply;
    return ok({ items: reply.value.locations, next: reply.value.nextPageToken });
  }, maxPages);
  if (!listed.ok) return listed;
  return ok(
    listed.value.items.map(({ name, title, metadata }) => ({
      path: `${accountName}/${name}`,
      title,
      mayPost: metadata?.canOperateLocalPost !== false,
    })),
  );
}

const isOfWhole = (refusal: GoogleRefusal): boolean =>
  isTokenRefusal(refusal) || isTemporary(refusal) || isAboutProject(refusal);

/** An account that refuses its list alone is left out. */
const orNone = (
  reply: Result<ListedLocation[], GoogleRefusal>,
): Result<ListedLocation[], GoogleRefusal> => (reply.ok || isOfWhole(reply.error) ? reply : ok([]));

/** A personal account lists only the locations that it owns itself, so all accounts are read. */
export async function listLocations(fetch: Fetch, token: string): Reading<ListedLocation[]> {
  const accounts = await listAccounts(fetch, token);
  if (!accounts.ok) return accounts;
  const ordered = inOrder(accounts.value.items).slice(0, MAX_ACCOUNTS);
  const pages = Math.max(1, Math.min(MAX_LOCATION_PAGES, Math.floor(MAX_CALLS / ordered.length)));
  const lists = await inTurns(ordered, async ({ name }) =>
    orNone(await listLocationsOf(fetch, token, name, pages)),
  );
  const byId = new Map<string, ListedLocation>();
  for (const list of lists) {
    if (!list.ok) return refuse(list.error);
    for (const location of list.value) {
      const id = location.path.split("/").at(-1) ?? "";
      if (!byId.has(id)) byId.set(id, location);
    }
  }
  return ok([...byId.values()].slice(0, MAX_LOCATIONS));
}
