import type { Config } from "../../config.ts";
import { hostNameOf } from "../../core/hosts.ts";
import { type LinkAddress, SHORT_PATH } from "../../core/link-address.ts";
import { isOwnShortLink, type OwnAddresses } from "./destinations.ts";
import type { StoredRule, Visit } from "./evaluate.ts";
import type { Preview, Target } from "./target.ts";

export type PlaceConfig = Pick<Config, "publicUrl" | "shortDomain">;

interface Place {
  address: LinkAddress;
  visited: string;
  config: PlaceConfig;
}

export type Decision =
  | { kind: "person"; to: string; rule: StoredRule | null }
  | { kind: "safe"; to: string }
  | { kind: "preview"; to: string; preview: Preview }
  | { kind: "circle"; to: string };

export function decide(
  visit: Visit & { agent: string },
  target: Target,
  place: Place,
): Decision | Promise<Decision> {
  if (target.safeUrl === null && target.preview === null) {
    return decideForPerson(visit, target, place);
  }
  return decideForBot(visit.agent, target, place).then(
    (ofBot) => ofBot ?? decideForPerson(visit, target, place),
  );
}

function decideForPerson(visit: Visit, target: Target, place: Place): Decision {
  const rule = target.router?.choose(visit) ?? null;
  const to = rule?.destination ?? target.destination;
  return isInCircle(to, target, place) ? { kind: "circle", to } : { kind: "person", to, rule };
}

async function decideForBot(agent: string, target: Target, place: Place): Promise<Decision | null> {
  const { safeUrl, preview, destination } = target;
  const { isBot, isCrawler } = await import("./bots.ts");
  if (preview !== null && isCrawler(agent)) {
    return { kind: "preview", preview, to: safeUrl ?? destination };
  }
  if (safeUrl === null || !isBot(agent)) return null;
  const kind = isInCircle(safeUrl, target, place) ? "circle" : "safe";
  return { kind, to: safeUrl };
}

/** `names`: texts that URLs of the instance's short links contain. */
interface OwnNames {
  own: OwnAddresses;
  names: string[];
}

const ownByConfig = new WeakMap<object, OwnNames>();

function ownNames(config: PlaceConfig): OwnNames {
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
  { address: { host }, visited, config }: Place,
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
