import * as z from "zod";
import { ok, type Result } from "../../core/result.ts";
import type { Fetch } from "../fetch.ts";
import { maybeText } from "../kit/shapes.ts";
import { type GraphRefusal, graphId, type Reading } from "../meta/graph.ts";
import { graph, PROFILE, page, readerOf, versioned } from "./api.ts";
import { isTemporary } from "./failures.ts";

/** Source: Meta, "Pagination". */
const LIST_LIMIT = 100;
/** Cloudflare's free plan allows 50 calls per invocation. */
const MAX_LISTS = 5;
const MAX_BUSINESSES = 8;
const MAX_LOOKUPS = 15;

const FIELDS = `access_token,tasks,${PROFILE}`;

const managedPage = page.extend({
  access_token: z.string().min(1).nullish(),
  tasks: z.array(z.string()).nullish().catch(null),
});

export type ManagedPage = z.infer<typeof managedPage>;

/** Facebook's URL of the next list contains the token, so only the cursor is kept. */
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

/** A permanent refusal becomes an empty list. A temporary one stays, because the list would be incomplete. */
const orNone = <T>(reply: Result<T[], GraphRefusal>): Result<T[], GraphRefusal> =>
  reply.ok || isTemporary(reply.error) ? reply : ok([]);

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

interface PageGrant {
  /** Ids of Pages. An empty list may mean all Pages. */
  named: readonly string[];
  hasPortfolio: boolean;
}

/**
 * `me/accounts` omits Pages reached only through a business portfolio, so portfolios and named ids are read too.
 * @see https://developers.facebook.com/docs/pages-api/manage-pages
 */
export async function listManagedPages(
  fetch: Fetch,
  token: string,
  { named, hasPortfolio }: PageGrant,
): Reading<ManagedPage[]> {
  const visible = joined([
    await listAll(fetch, token, ["me", "accounts"]),
    hasPortfolio ? await portfolioPages(fetch, token) : ok([]),
  ]);
  if (!visible.ok) return visible;
  const withToken = new Set(visible.value.filter((one) => one.access_token).map(({ id }) => id));
  const lacking = [...named, ...visible.value.map(({ id }) => id)].filter(
    (id) => !withToken.has(id),
  );
  const looked = [...new Set(lacking)].slice(0, MAX_LOOKUPS).map(async (id) => {
    const request = graph(versioned(id), { token, query: { fields: FIELDS } });
    const one = await readPage(await fetch(request));
    return orNone(one.ok ? ok([one.value]) : one);
  });
  return joined([visible, ...(await Promise.all(looked))]);
}
