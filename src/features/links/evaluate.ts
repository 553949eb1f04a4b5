/** Source: spec, "Short link", Rule. */
export const DEVICES = ["mobile", "desktop", "tablet"] as const;
export type Device = (typeof DEVICES)[number];
/** Replaces the device in clicks of bots. */
export const BOT = "bot";
export const SYSTEMS = ["ios", "android", "macos", "windows", "linux"] as const;
export type System = (typeof SYSTEMS)[number];

/** Lists are comma-separated without spaces; times are ISO 8601. */
export type StoredRule = { destination: string; priority: number } & (
  | { type: "geo"; countryCodes: string }
  | { type: "device"; devices?: string; os?: string }
  | { type: "language"; languages: string }
  | { type: "time"; startTime?: string; endTime?: string }
  | { type: "referer"; referers: string }
);

/** Facts about a visitor, computed on demand. */
export interface Visit {
  /** ISO 3166-1 alpha-2; null when unknown. */
  country(): string | null;
  device(): Device;
  /** Null for systems that no rule can name. */
  system(): System | null;
  /** Lower case. */
  language(): string | null;
  referer(): string | null;
  /** Epoch ms. */
  now(): number;
}

type Index = Map<string, number>;

const items = (list: string): string[] => list.split(",");

const put = (index: Index, key: string, rank: number): void => {
  if (!index.has(key)) index.set(key, rank);
};

const combination = (device: Device, system: System | null): string => `${device} ${system ?? ""}`;

/** Finds the first match among rules, which are sorted by priority, without trying each. */
export class Router {
  private readonly countries: Index = new Map();
  private readonly combinations: Index = new Map();
  private readonly languages: Index = new Map();
  private readonly times: { rank: number; from: number; until: number }[] = [];
  private readonly refererHosts: Index = new Map();
  private readonly refererWords: Index = new Map();
  private readonly rules: readonly StoredRule[];

  constructor(rules: readonly StoredRule[]) {
    this.rules = rules;
    for (const [rank, rule] of rules.entries()) this.add(rule, rank);
  }

  private add(rule: StoredRule, rank: number): void {
    switch (rule.type) {
      case "geo":
        for (const country of items(rule.countryCodes)) put(this.countries, country, rank);
        break;
      case "device":
        this.addDevice(rule, rank);
        break;
      case "language":
        for (const code of items(rule.languages)) put(this.languages, code.toLowerCase(), rank);
        break;
      case "time": {
        const from = rule.startTime ? Date.parse(rule.startTime) : Number.NEGATIVE_INFINITY;
        const until = rule.endTime ? Date.parse(rule.endTime) : Number.POSITIVE_INFINITY;
        this.times.push({ rank, from, until });
        break;
      }
      case "referer":
        for (const item of items(rule.referers)) {
          put(item.includes(".") ? this.refererHosts : this.refererWords, item, rank);
        }
        break;
      default:
        throw rule satisfies never;
    }
  }

  private addDevice({ devices, os }: { devices?: string; os?: string }, rank: number): void {
    const systems = os === undefined ? [...SYSTEMS, null] : (items(os) as System[]);
    for (const device of devices === undefined ? DEVICES : (items(devices) as Device[])) {
      for (const system of systems) put(this.combinations, combination(device, system), rank);
    }
  }

  choose(visit: Visit): StoredRule | null {
    let first = this.rules.length;
    const take = (rank: number | undefined) => {
      if (rank !== undefined && rank < first) first = rank;
    };
    if (this.countries.size > 0) take(this.countries.get(visit.country() ?? ""));
    if (this.combinations.size > 0) {
      take(this.combinations.get(combination(visit.device(), visit.system())));
    }
    if (this.languages.size > 0) this.takeLanguage(visit.language(), take);
    if (this.times.length > 0) this.takeTime(visit.now(), take);
    if (this.refererHosts.size + this.refererWords.size > 0) {
      this.takeReferer(visit.referer(), take);
    }
    return this.rules[first] ?? null;
  }

  /** `de` matches `de-at`, but not the reverse. */
  private takeLanguage(language: string | null, take: (rank: number | undefined) => void): void {
    for (
      let tag = language ?? "";
      tag !== "";
      tag = tag.slice(0, Math.max(0, tag.lastIndexOf("-")))
    ) {
      take(this.languages.get(tag));
    }
  }

  private takeTime(now: number, take: (rank: number) => void): void {
    const match = this.times.find(({ from, until }) => from <= now && now < until);
    if (match) take(match.rank);
  }

  /** A domain matches its subdomains, a word any part of the URL. */
  private takeReferer(referer: string | null, take: (rank: number | undefined) => void): void {
    if (referer === null) return;
    let host = /^https?:\/\/([^/:?#]+)/.exec(referer)?.[1] ?? "";
    while (host.includes(".")) {
      take(this.refererHosts.get(host));
      host = host.slice(host.indexOf(".") + 1);
    }
    for (const [word, rank] of this.refererWords) {
      if (!referer.includes(word)) continue;
      take(rank);
      break;
    }
  }
}
