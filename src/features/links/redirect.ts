import type { Config } from "../../config.ts";
import { now } from "../../core/clock.ts";
import { hostNameOf } from "../../core/hosts.ts";
import { type LinkAddress, SHORT_PATH } from "../../core/link-address.ts";
import { runPlain } from "../../db/plain.ts";
import type { LinkClick } from "../../queue/messages.ts";
import type { ClickLog, ClickStore } from "./click-log.ts";
import { isOwnShortLink, type OwnAddresses } from "./destinations.ts";
import { hotLinks, keyOf } from "./hot-links.ts";
import { type FoundLink, linkAt, linksAt } from "./repo/addresses.ts";
import { foldSlug, isSlug } from "./slugs.ts";
import { type Target, toTarget } from "./target.ts";
import { RequestVisit } from "./visitor.ts";

export interface RedirectDeps {
  config: Pick<Config, "publicUrl" | "shortDomain" | "isDevelopment">;
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
  if (target.safeUrl === null && target.preview === null) {
    return answerPerson(request, visit, target, address, deps);
  }
  return answerBot(request, visit.agent, target, address, deps).then(
    (ofBot) => ofBot ?? answerPerson(request, visit, target, address, deps),
  );
}

function answerPerson(
  request: Request,
  visit: RequestVisit,
  target: Target,
  address: LinkAddress,
  deps: RedirectDeps,
): Response | Promise<Response> {
  const destination = target.router?.choose(visit) ?? target.destination;
  if (isInCircle(destination, target, address, request.url, deps)) return notFound();
  if (request.method === "GET") {
    const click: LinkClick = [target.id, visit.now(), visit.country(), visit.device()];
    const work = deps.clickLog.add(deps.clicks, click, Date.now());
    if (work) deps.waitUntil(work);
  }
  if (!target.useDeeplink) return sendTo(destination);
  return openApp(destination, visit).then((page) => page ?? sendTo(destination));
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

async function answerBot(
  { url }: Request,
  agent: string,
  target: Target,
  address: LinkAddress,
  deps: RedirectDeps,
): Promise<Response | null> {
  const { safeUrl, preview, destination } = target;
  const { isBot, isCrawler } = await import("./bots.ts");
  if (preview !== null && isCrawler(agent)) {
    const { previewPage } = await import("./pages.ts");
    return previewPage(preview, {
      url: url.split("?")[0] ?? url,
      destination: safeUrl ?? destination,
    });
  }
  if (safeUrl === null || !isBot(agent)) return null;
  return isInCircle(safeUrl, target, address, url, deps) ? notFound() : sendTo(safeUrl);
}

async function openApp(destination: string, visit: RequestVisit): Promise<Response | null> {
  const { appLinksOf } = await import("./app-links.ts");
  const links = appLinksOf(destination, visit.system());
  return links && (await import("./pages.ts")).appPage(links);
}

/** `names`: texts that URLs of the instance's short links contain. */
interface OwnNames {
  own: OwnAddresses;
  names: string[];
}

const ownByConfig = new WeakMap<object, OwnNames>();

function ownNames(config: RedirectDeps["config"]): OwnNames {
  const cached = ownByConfig.get(config);
  if (cached) return cached;
  const name = (text: string | null) => text && hostNameOf(text.replace(/^https?:\/\//, ""));
  const own = { shortHosts: [name(config.shortDomain)], mainHosts: [name(config.publicUrl)] };
  const names = [...own.shortHosts, ...own.mainHosts].flatMap((one) => (one ? [one] : []));
  const fresh = { own, names };
  ownByConfig.set(config, fresh);
  return fresh;
}

/** Saving refuses short links as destinations, but a host may get short links later. */
function isInCircle(
  destination: string,
  { shortHosts: ownDomains }: Target,
  { host }: LinkAddress,
  visited: string,
  { config }: RedirectDeps,
): boolean {
  if (ownDomains.length > 0 && ownDomains.includes(hostNameOf(new URL(destination).host))) {
    return true;
  }
  if (destination.includes(SHORT_PATH) && host === null) {
    const mainHosts = [hostNameOf(new URL(visited).host)];
    if (isOwnShortLink(new URL(destination), { shortHosts: [], mainHosts })) return true;
  }
  const { own, names } = ownNames(config);
  const hostName = host && hostNameOf(host);
  const isNamed = (one: string) => destination.includes(one);
  if (!names.some(isNamed) && !(hostName && isNamed(hostName))) return false;
  const shortHosts = [...own.shortHosts, hostName];
  return isOwnShortLink(new URL(destination), { ...own, shortHosts });
}
