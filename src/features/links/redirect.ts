import type { Config } from "../../config.ts";
import { now } from "../../core/clock.ts";
import type { LinkAddress } from "../../core/link-address.ts";
import { runPlain } from "../../db/plain.ts";
import type { LinkClick } from "../../queue/messages.ts";
import type { ClickLog, ClickStore } from "./click-log.ts";
import { type Decision, decide, type PlaceConfig } from "./decide.ts";
import { hotLinks, keyOf } from "./hot-links.ts";
import { type FoundLink, linkAt, linksAt } from "./repo/addresses.ts";
import { foldSlug, isSlug } from "./slugs.ts";
import { countedAs, type Target, toTarget } from "./target.ts";
import { RequestVisit } from "./visitor.ts";

export { ClickLog } from "./click-log.ts";

export interface RedirectDeps {
  config: PlaceConfig & Pick<Config, "isDevelopment">;
  database: ClickStore["database"];
  clicks: ClickStore;
  clickLog: ClickLog;
  waitUntil(work: Promise<unknown>): void;
}

const METHODS = ["GET", "HEAD"];

/** A cached link needs no database. */
export function redirect(
  request: Request,
  address: LinkAddress,
  deps: RedirectDeps,
): Response | Promise<Response> {
  if (!METHODS.includes(request.method)) {
    return new Response(null, { status: 405, headers: { Allow: METHODS.join(", ") } });
  }
  const normalized = normalize(address);
  if (!normalized) return notFound();
  const key = keyOf(normalized);
  const hit = hotLinks.find(key, normalized, Date.now());
  if (!hit)
    return readTarget(normalized, key, deps).then((target) =>
      answer(request, target, address, deps),
    );
  if (hit.mustRefresh) deps.waitUntil(refresh(hotLinks.takeStale(Date.now()), deps));
  return answer(request, hit.value, address, deps);
}

function answer(
  request: Request,
  target: Target | null,
  address: LinkAddress,
  deps: RedirectDeps,
): Response | Promise<Response> {
  if (!target) return notFound();
  const visit = new RequestVisit(request, now().getTime(), deps.config.isDevelopment);
  const place = { address, visited: request.url, config: deps.config };
  const decision = decide(visit, target, place);
  return decision instanceof Promise
    ? decision.then((decided) => render(request, visit, target, decided, deps))
    : render(request, visit, target, decision, deps);
}

function render(
  request: Request,
  visit: RequestVisit,
  target: Target,
  decision: Decision,
  deps: RedirectDeps,
): Response | Promise<Response> {
  switch (decision.kind) {
    case "circle":
      return notFound();
    case "preview":
      return showPreview(request.url, decision);
    case "safe":
      return sendTo(decision.to);
    case "person":
      return sendPerson(request, visit, target, decision, deps);
    default:
      throw decision satisfies never;
  }
}

function sendPerson(
  request: Request,
  visit: RequestVisit,
  target: Target,
  { to, rule }: Extract<Decision, { kind: "person" }>,
  deps: RedirectDeps,
): Response | Promise<Response> {
  if (request.method === "GET") {
    const counted = countedAs(target, rule);
    const click: LinkClick = [target.id, visit.now(), visit.country(), visit.device()];
    if (counted !== null) click.push(counted);
    const work = deps.clickLog.add(deps.clicks, { click, agent: visit.agent }, Date.now());
    if (work) deps.waitUntil(work);
  }
  if (!target.useDeeplink) return sendTo(to);
  return openApp(to, visit).then((page) => page ?? sendTo(to));
}

async function showPreview(
  url: string,
  { preview, to }: Extract<Decision, { kind: "preview" }>,
): Promise<Response> {
  const { previewPage } = await import("./pages.ts");
  return previewPage(preview, { url: url.split("?")[0] ?? url, destination: to });
}

/** Null for an impossible slug. */
function normalize({ host, slug }: LinkAddress): LinkAddress | null {
  if (isSlug(slug)) return { host, slug };
  try {
    const key = foldSlug(decodeURIComponent(slug.replace(/\/$/, "")));
    return isSlug(key) ? { host, slug: key } : null;
  } catch {
    return null;
  }
}

const sendTo = (location: string): Response =>
  new Response(null, {
    status: 302,
    headers: { Location: location, "Cache-Control": "no-store" },
  });

const notFound = async (): Promise<Response> => (await import("./pages.ts")).notFoundPage();

async function readTarget(
  address: LinkAddress,
  key: string,
  { database }: Pick<RedirectDeps, "database">,
): Promise<Target | null> {
  const readAt = Date.now();
  const generation = hotLinks.beginRead();
  const [link] = await runPlain(database, linkAt(address));
  return keep(key, link, { readAt, generation });
}

/** Uses one query: a query per link would cost more than the visits. */
async function refresh(
  addresses: readonly LinkAddress[],
  { database }: Pick<RedirectDeps, "database">,
): Promise<void> {
  const read = { readAt: Date.now(), generation: hotLinks.beginRead() };
  const matches = await runPlain(database, linksAt(addresses));
  const links = new Map(matches.map(({ position, link }) => [position, link]));
  for (const [i, address] of addresses.entries()) keep(keyOf(address), links.get(i), read);
}

function keep(
  key: string,
  link: FoundLink | undefined,
  read: { readAt: number; generation: number },
): Target | null {
  const value = link ? toTarget(link) : null;
  hotLinks.keep(key, { value, characters: link?.characters ?? 0, ...read });
  return value;
}

async function openApp(destination: string, visit: RequestVisit): Promise<Response | null> {
  const { appLinksOf } = await import("./app-links.ts");
  const links = appLinksOf(destination, visit.system());
  return links && (await import("./pages.ts")).appPage(links);
}
