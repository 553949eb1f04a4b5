import type { Device, System, Visit } from "./evaluate.ts";

const MAX_LOOKED_AT = 512;

/** A tablet with a desktop's user agent counts as a desktop. */
export function deviceOf(agent: string): Device {
  if (agent.includes("iPad") || agent.includes("Tablet")) return "tablet";
  if (agent.includes("Mobi") || agent.includes("iPhone") || agent.includes("iPod")) return "mobile";
  return agent.includes("Android") ? "tablet" : "desktop";
}

export function systemOf(agent: string): System | null {
  if (agent.includes("iPhone") || agent.includes("iPad") || agent.includes("iPod")) return "ios";
  if (agent.includes("Android")) return "android";
  if (agent.includes("Windows")) return "windows";
  if (agent.includes("Mac OS X") || agent.includes("Macintosh")) return "macos";
  if (agent.includes("CrOS")) return null;
  return agent.includes("Linux") || agent.includes("X11") ? "linux" : null;
}

/**
 * Returns the first language of the highest quality.
 *
 * Spec is silent: otherwise a German who also accepts English would get the English page.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-accept-language
 */
export function languageOf(header: string | null): string | null {
  let best: string | null = null;
  let highest = 0;
  for (const entry of (header ?? "").slice(0, MAX_LOOKED_AT).split(",")) {
    const [tag = "", ...parameters] = entry.trim().toLowerCase().split(";");
    const weight = parameters.map((one) => /^\s*q=([\d.]+)\s*$/.exec(one)?.[1]).find(Boolean);
    const quality = weight === undefined ? 1 : Number(weight);
    if (quality > highest && /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/.test(tag.trim())) {
      best = tag.trim();
      highest = quality;
    }
  }
  return best;
}

const MAX_REMEMBERED = 500;
const remembered = new Map<string, string | null>();

function rememberedLanguage(header: string | null): string | null {
  if (header === null) return null;
  const cached = remembered.get(header);
  if (cached !== undefined) return cached;
  const language = languageOf(header);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  if (header.length <= MAX_LOOKED_AT) remembered.set(header, language);
  return language;
}

/** Cloudflare's code for an unknown country. */
const UNKNOWN_COUNTRY = "XX";

const countryIn = (request: Request): string | null => {
  const { country } = (request.cf ?? {}) as { country?: string };
  return country && country !== UNKNOWN_COUNTRY ? country : null;
};

export class RequestVisit implements Visit {
  readonly agent: string;
  private readonly request: Request;
  private readonly headers: Headers;
  private readonly at: number;
  private readonly trustsHeader: boolean;
  private knownCountry: string | null | undefined;
  private knownDevice: Device | undefined;

  /** @param trustsHeader development only: a `cf-ipcountry` header replaces the country */
  constructor(request: Request, at: number, trustsHeader: boolean) {
    this.request = request;
    this.headers = request.headers;
    this.at = at;
    this.trustsHeader = trustsHeader;
    this.agent = (this.headers.get("user-agent") ?? "").slice(0, MAX_LOOKED_AT);
  }

  country(): string | null {
    if (this.knownCountry === undefined) {
      const override = this.trustsHeader ? this.headers.get("cf-ipcountry") : null;
      this.knownCountry = override ? override.toUpperCase() : countryIn(this.request);
    }
    return this.knownCountry;
  }

  device(): Device {
    this.knownDevice ??= deviceOf(this.agent);
    return this.knownDevice;
  }

  system(): System | null {
    return systemOf(this.agent);
  }

  language(): string | null {
    return rememberedLanguage(this.headers.get("accept-language"));
  }

  referer(): string | null {
    const referer = this.headers.get("referer");
    return referer === null ? null : referer.slice(0, MAX_LOOKED_AT).toLowerCase();
  }

  now(): number {
    return this.at;
  }
}
