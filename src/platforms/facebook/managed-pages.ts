import * as z from "zod";
import { ok, type Result } from "../../core/result.ts";
import type { Fetch } from "../fetch.ts";
import { maybeText } from "../kit/shapes.ts";
import { type GraphRefusal, graphId, type Reading } from "../meta/graph.ts";
import { graph, PROFILE, page, readerOf, versioned } from "./api.ts";
import { isPassing } from "./failures.ts";

/** Pages of one list. Source: Meta, "Pagination": the largest there is. */
const LIST_LIMIT = 100;
/** Bounds of the calls for one person, of which an invocation has 50 on the free plan. */
const MAX_LISTS = 5;
const MAX_BUSINESSES = 8;
const MAX_LOOKUPS = 15;

const FIELDS = `access_token,tasks,${PROFILE}`;

const managedPage = page.extend({
  /** Missing where the person has no role in the Page itself. */
  access_token: z.string().min(1).nullish(),
  tasks: z.array(z.string()).nullish().catch(null),
});

export type ManagedPage = z.infer<typeof managedPage>;

/** The cursor in the address of the next list; the address itself carries the token. */
const cursorOf = (next: string | null): string | null =>
  next && URL.canParse(next) ? new URL(next).searchParams.get("after") : null;

const listed = z
  .object({
    data: z.array(managedPage),
    paging: z.object({ next: maybeText }).nullish().catch(null),
  })
  .transform(({ data, paging }) => ({ pages: data, after: cursorOf(paging?.next ?? null) }));

const readList = readerOf(listed);
const readPage = readerOf(managedPage);
const readBusinesses = readerOf(
  z.object({ data: z.array(z.object({ id: graphId })) }).transform(({ data }) => data),
);

/** @see https://developers.facebook.com/docs/graph-api/reference/user/accounts */
const listRequest = (token: string, path: string[], after: string | null): Request =>
  graph(versioned(...path), {
    token,
    query: { fields: FIELDS, limit: String(LIST_LIMIT), ...(after === null ? {} : { after }) },
  });

/** All lists of an edge: one may be empty and not the last. */
async function listAll(fetch: Fetch, token: string, path: string[]): Reading<ManagedPage[]> {
  const pages: ManagedPage[] = [];
  const seen = new Set<string>();
  let after: string | null = null;
  for (let i = 0; i < MAX_LISTS; i++) {
    const list: Awaited<ReturnType<typeof readList>> = await readList(
      await fetch(listRequest(token, path, after)),
    );
    if (!list.ok) return list;
    pages.push(...list.value.pages);
    after = list.value.after;
    if (after === null || seen.has(after)) break;
    seen.add(after);
  }
  return ok(pages);
}

/** Takes a refusal for nothing there, but not one that may pass: the list would be incomplete. */
const orNone = <T>(reply: Result<T[], GraphRefusal>): Result<T[], GraphRefusal> =>
  reply.ok || isPassing(reply.error) ? reply : ok([]);

/** Pages of the businesses that a person belongs to. */
async function portfolioPages(fetch: Fetch, token: string): Reading<ManagedPage[]> {
  const query = { fields: "id", limit: String(LIST_LIMIT) };
  const request = graph(versioned("me", "businesses"), { token, query });
  const businesses = orNone(await readBusinesses(await fetch(request)));
  if (!businesses.ok) return businesses;
  const edges = businesses.value
    .slice(0, MAX_BUSINESSES)
    .flatMap(({ id }) => [
      [id, "owned_pages"],
      [id, "client_pages"],
    ])
    .map(async (path) => {
      const list = await readList(await fetch(listRequest(token, path, null)));
      return orNone(list.ok ? ok(list.value.pages) : list);
    });
  return joined(await Promise.all(edges));
}

/** Each Page once, with its token where one of the lists has that. */
function joined(lists: Result<ManagedPage[], GraphRefusal>[]): Result<ManagedPage[], GraphRefusal> {
  const byId = new Map<string, ManagedPage>();
  for (const list of lists) {
    if (!list.ok) return list;
    for (const one of list.value) {
      if (!byId.get(one.id)?.access_token) byId.set(one.id, one);
    }
  }
  return ok([...byId.values()]);
}

/** A person's permission as it bears on Pages. */
interface PageGrant {
  /** Pages that the permission names; it may cover others where it names none. */
  named: readonly string[];
  hasPortfolio: boolean;
}

/**
 * The Pages that a person may see, with their tokens where the person has a role in them. The list of
 * accounts leaves out Pages that are reached through a business portfolio alone: those are asked for by the
 * portfolio, and by the ids that the permission names.
 *
 * @see https://developers.facebook.com/docs/pages-api/manage-pages
 */
export async function listManagedPages(
  fetch: Fetch,
  token: string,
  { named, hasPortfolio }: PageGrant,
): Reading<ManagedPage[]> {
  const found = joined([
    await listAll(fetch, token, ["me", "accounts"]),
    hasPortfolio ? await portfolioPages(fetch, token) : ok([]),
  ]);
  if (!found.ok) return found;
  const withToken = new Set(found.value.filter((one) => one.access_token).map(({ id }) => id));
  const lacking = [...named, ...found.value.map(({ id }) => id)].filter((id) => !withToken.has(id));
  const looked = [...new Set(lacking)].slice(0, MAX_LOOKUPS).map(async (id) => {
    const request = graph(versioned(id), { token, query: { fields: FIELDS } });
    const one = await readPage(await fetch(request));
    return orNone(one.ok ? ok([one.value]) : one);
  });
  return joined([found, ...(await Promise.all(looked))]);
}
