import type { Config } from "../../config.ts";
import { appLinksOf } from "./app-links.ts";
import { type Decision, decide } from "./decide.ts";
import { shortUrlOf } from "./destinations.ts";
import { type Device, Router, type StoredRule, type System } from "./evaluate.ts";
import type { LinkOnPage } from "./repo/links.ts";
import { foldSlug } from "./slugs.ts";
import { toTarget } from "./target.ts";
import { RequestVisit } from "./visitor.ts";

const webKit = (system: string, end = ""): string =>
  `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko)${end}`;

const AGENTS = {
  "mobile-ios": webKit("iPhone; CPU iPhone OS 18_5 like Mac OS X", " Mobile/15E148"),
  "tablet-ios": webKit("iPad; CPU OS 18_5 like Mac OS X", " Mobile/15E148"),
  "mobile-android": webKit("Linux; Android 15; Pixel 9", " Chrome/140.0 Mobile Safari/537.36"),
  "tablet-android": webKit("Linux; Android 15; SM-X910", " Chrome/140.0 Safari/537.36"),
  "desktop-windows": webKit("Windows NT 10.0; Win64; x64", " Chrome/140.0 Safari/537.36"),
  "desktop-macos": webKit("Macintosh; Intel Mac OS X 10_15_7", " Version/18.5 Safari/605.1.15"),
  "desktop-linux": webKit("X11; Linux x86_64", " Chrome/140.0 Safari/537.36"),
  "desktop-other": webKit("X11; CrOS x86_64 16000.0.0", " Chrome/140.0 Safari/537.36"),
} as const;

export type Browser = keyof typeof AGENTS;
export const BROWSERS = Object.keys(AGENTS) as [Browser, ...Browser[]];

const BOT_AGENTS = {
  crawler: "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
  program: "curl/8.16.0",
} as const;

export type Bot = keyof typeof BOT_AGENTS;

export interface TriedVisitor {
  browser: Browser;
  bot: Bot | null;
  country: string | null;
  language: string;
  referer: string;
  at: Date;
}

export interface Trial {
  decision: Decision;
  /** Visitors get 404 whatever the rules say. */
  isOff: boolean;
  opensApp: boolean;
  /** Of every rule, whether it fits the visitor by itself. */
  fits: boolean[];
  facts: {
    country: string | null;
    device: Device;
    system: System | null;
    language: string | null;
    referer: string | null;
  };
}

/** Characters that a browser encodes before it sends a header. */
const asHeader = (text: string): string =>
  text.toWellFormed().replace(/[^\x20-\x7e]/gu, encodeURIComponent);

function headersOf({ browser, bot, language, referer }: TriedVisitor): Headers {
  const headers = new Headers({ "user-agent": bot ? BOT_AGENTS[bot] : AGENTS[browser] });
  if (language !== "") headers.set("accept-language", asHeader(language));
  if (referer !== "") headers.set("referer", asHeader(referer));
  return headers;
}

export async function tryVisitor(
  link: LinkOnPage,
  visitor: TriedVisitor,
  { config, origin }: { config: Config; origin: string },
): Promise<Trial> {
  const visited = shortUrlOf(config, origin, link);
  const headers = headersOf(visitor);
  if (visitor.country !== null) headers.set("cf-ipcountry", visitor.country);
  const request = new Request(visited, { headers });
  const visit = new RequestVisit(request, visitor.at.getTime(), true);
  const address = { host: link.host, slug: foldSlug(link.slug) };
  const decision = await decide(visit, toTarget(link), { address, visited, config });
  const system = visit.system();
  return {
    decision,
    isOff: !link.isActive || (link.host !== null && link.verifiedAt === null),
    opensApp:
      link.useDeeplink && decision.kind === "person" && appLinksOf(decision.to, system) !== null,
    fits: link.rules.map((rule: StoredRule) => new Router([rule]).choose(visit) !== null),
    facts: {
      country: visit.country(),
      device: visit.device(),
      system,
      language: visit.language(),
      referer: visit.referer(),
    },
  };
}
