import { describe, expect, test } from "vitest";
// Adds `.openapi()` to schemas.
import "../../../src/http/route.ts";
import { readDestination } from "../../../src/features/links/destinations.ts";
import {
  DEVICES,
  type Device,
  Router,
  type StoredRule,
  SYSTEMS,
  type System,
  type Visit,
} from "../../../src/features/links/evaluate.ts";
import { newRuleSchema } from "../../../src/features/links/rule-schema.ts";
import { withPriorities } from "../../../src/features/links/rules.ts";
import { foldSlug, isSlug, newSlug, refusedSlug } from "../../../src/features/links/slugs.ts";
import { deviceOf, languageOf, systemOf } from "../../../src/features/links/visitor.ts";

interface Facts {
  country: string | null;
  device: Device;
  system: System | null;
  language: string | null;
  referer: string | null;
  now: number;
}

const toVisit = (facts: Facts): Visit => ({
  country: () => facts.country,
  device: () => facts.device,
  system: () => facts.system,
  language: () => facts.language,
  referer: () => facts.referer,
  now: () => facts.now,
});

/** Tries one rule after the other, as specified. */
function byBruteForce(rules: readonly StoredRule[], facts: Facts): string | null {
  const matches = (rule: StoredRule): boolean => {
    if (rule.type === "geo") return rule.countryCodes.split(",").includes(facts.country ?? "-");
    if (rule.type === "device") {
      const isDevice = !rule.devices || rule.devices.split(",").includes(facts.device);
      return isDevice && (!rule.os || rule.os.split(",").includes(facts.system ?? "-"));
    }
    if (rule.type === "language") {
      const { language } = facts;
      const isOf = (code: string) => language === code || language?.startsWith(`${code}-`);
      return rule.languages.split(",").some((code) => isOf(code) === true);
    }
    if (rule.type === "time") {
      const isBegun = !rule.startTime || facts.now >= Date.parse(rule.startTime);
      return isBegun && (!rule.endTime || facts.now < Date.parse(rule.endTime));
    }
    const { referer } = facts;
    if (referer === null) return false;
    const host = new URL(referer).hostname;
    const names = (item: string) =>
      item.includes(".") ? host === item || host.endsWith(`.${item}`) : referer.includes(item);
    return rule.referers.split(",").some(names);
  };
  const sorted = rules.toSorted((a, b) => b.priority - a.priority);
  return sorted.find(matches)?.destination ?? null;
}

/** Draws the same numbers in every run. */
function createDraw(seed: number) {
  let state = seed;
  const draw = (max: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
  const one = <T>(list: readonly T[]): T => list[draw(list.length)] as T;
  const some = (list: readonly string[]) =>
    [...new Set(Array.from({ length: 1 + draw(3) }, () => one(list)))].join(",");
  return { draw, one, some };
}

const COUNTRY = ["DE", "AT", "US", "JP"];
const LANGUAGE = ["de", "de-at", "en", "pt-br", "zh", "zh-hant"];
const REFERERS = ["example.com", "news.example.com", "example", "social", "shop.test", "a.b.test"];
const HOSTS = ["example.com", "news.example.com", "badexample.com", "social.test", "x.a.b.test"];
const at = (day: number): string => new Date(day * 86_400_000).toISOString();

function makeRule({ draw, one, some }: ReturnType<typeof createDraw>, n: number): object {
  const rule = { destination: `https://example.org/${n}` };
  const place = draw(3) === 0 ? {} : { priority: draw(12) };
  const from = draw(10);
  return [
    { type: "geo", countryCodes: some(COUNTRY) },
    { type: "device", devices: some(DEVICES) },
    { type: "device", os: some(SYSTEMS) },
    { type: "device", devices: some(DEVICES), os: some(SYSTEMS) },
    { type: "language", languages: some(LANGUAGE) },
    { type: "time", startTime: at(from), endTime: at(from + 1 + draw(5)) },
    { type: "time", ...(one([true, false]) ? { startTime: at(from) } : { endTime: at(from) }) },
    { type: "referer", referers: some(REFERERS) },
  ].map((own) => ({ ...rule, ...place, ...own }))[draw(8)] as object;
}

describe("rules", () => {
  test("choose as one who asks each of them: 20,000 visits, no disagreement", () => {
    const drawn = createDraw(20_261_123);
    const { draw, one } = drawn;
    let matched = 0;
    for (let round = 0; round < 400; round++) {
      const input = Array.from({ length: draw(14) }, (_, n) =>
        newRuleSchema.parse(makeRule(drawn, n)),
      );
      const rules = withPriorities(input) as StoredRule[];
      const router = new Router(rules);
      for (let visit = 0; visit < 50; visit++) {
        const facts: Facts = {
          country: one([...COUNTRY, "FR", null]),
          device: one(DEVICES),
          system: one([...SYSTEMS, null]),
          language: one([...LANGUAGE, "de-ch", "zh-hant-tw", "fr", null]),
          referer: one([
            null,
            ...HOSTS.map((host) => `https://${host}/page`),
            "https://z.test/social",
          ]),
          now: draw(16) * 86_400_000 + one([-1, 0, 1]),
        };
        const expected = byBruteForce(rules, facts);
        expect(
          router.choose(toVisit(facts))?.destination ?? null,
          JSON.stringify({ rules, facts }),
        ).toBe(expected);
        if (expected) matched++;
      }
    }
    expect(matched).toBeGreaterThan(2_000);
  });

  test.each<[string, (number | undefined)[], number[]]>([
    ["none has one", [undefined, undefined, undefined], [0, 1, 2]],
    ["the last plus one", [5, undefined], [5, 6]],
    ["the highest counts as the last", [9, 2, undefined], [9, 2, 10]],
    ["one that exists moves the others up", [3, 3], [4, 3]],
    ["with all above it, gaps included", [1, 3, 7, 3], [1, 4, 8, 3]],
    ["and none below it", [0, 1, 2, 1], [0, 2, 3, 1]],
    ["several times over", [0, 0, 0, undefined], [2, 1, 0, 3]],
  ])("have priorities: %s", (_, priorities, expected) => {
    const placed = withPriorities(priorities.map((priority, name) => ({ name, priority })));
    const byName = placed.toSorted((a, b) => a.name - b.name);
    expect(byName.map(({ priority }) => priority)).toEqual(expected);
    expect(placed.map(({ priority }) => priority)).toEqual(expected.toSorted((a, b) => b - a));
  });

  const RULE = { destination: "https://example.org/" };
  test.each<[string, object, string]>([
    ["priority 1001", { type: "geo", countryCodes: "DE", priority: 1_001 }, "1000"],
    ["priority -1", { type: "geo", countryCodes: "DE", priority: -1 }, "0"],
    ["half a priority", { type: "geo", countryCodes: "DE", priority: 1.5 }, "int"],
    ["a country that does not exist", { type: "geo", countryCodes: "DE,ZZ" }, '"ZZ"'],
    ["a country of three letters", { type: "geo", countryCodes: "DEU" }, '"DEU"'],
    ["no country", { type: "geo", countryCodes: " , " }, "at least one"],
    ["no field of its type", { type: "geo" }, "countryCodes"],
    ["a field of another type", { type: "geo", countryCodes: "DE", os: "ios" }, "os"],
    ["neither devices nor os", { type: "device" }, "devices or os"],
    ["an unknown device", { type: "device", devices: "watch" }, '"watch"'],
    ["an unknown system", { type: "device", os: "beos" }, '"beos"'],
    ["a language that is none", { type: "language", languages: "german" }, '"german"'],
    [
      "an end before its start",
      { type: "time", startTime: at(2), endTime: at(1) },
      "after startTime",
    ],
    ["an end at its start", { type: "time", startTime: at(2), endTime: at(2) }, "after startTime"],
    ["a time without an offset", { type: "time", startTime: "2026-12-24T18:00" }, "offset"],
    ["the 31st of April", { type: "time", startTime: "2026-04-31T18:00Z" }, "offset"],
    ["no moment", { type: "time" }, "startTime or endTime"],
    ["a referer with a space", { type: "referer", referers: "two words" }, "two words"],
    ["another type", { type: "weather" }, "geo, device"],
  ])("are refused: %s", (_, own, told) => {
    const { error } = newRuleSchema.safeParse({ ...RULE, ...own });
    expect(JSON.stringify(error?.issues)).toContain(JSON.stringify(told).slice(1, -1));
  });

  test("keep their lists without spaces and repetitions", () => {
    const rule = newRuleSchema.parse({ ...RULE, type: "geo", countryCodes: " de, AT,de ," });
    expect(rule).toMatchObject({ countryCodes: "DE,AT" });
  });
});

const OWN = { shortHosts: ["go.example", null], mainHosts: ["akimbo.test"] };

describe("a destination", () => {
  test.each([
    ["https://example.com/page?a=b#c", "https://example.com/page?a=b#c"],
    ["https://example.com", "https://example.com"],
    ["http://example.com:8080/", "http://example.com:8080/"],
    ["HTTPS://Example.COM/Ü", "https://example.com/%C3%9C"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
    ["https://akimbo.test/docs", "https://akimbo.test/docs"],
  ])("is taken: %s", (text, href) => {
    expect(readDestination(text, OWN)).toMatchObject({ href });
  });

  test.each([
    ["javascript:alert(1)", "http or https"],
    [" javascript:alert(1)", "http or https"],
    ["java\tscript:alert(1)", "control characters"],
    ["data:text/html,x", "http or https"],
    ["file:///etc/passwd", "http or https"],
    ["blob:https://example.com/x", "http or https"],
    ["instagram://user?username=a", "http or https"],
    ["//example.com/", "is not a URL"],
    ["example.com", "is not a URL"],
    ["", "is not a URL"],
    ["https://", "is not a URL"],
    ["https://example.com/\r\nSet-Cookie: a=b", "line breaks"],
    ["https://example.com/\n", "line breaks"],
    ["https://example.com/\u0000", "control characters"],
    ["https://example.com/\u2028", "line breaks"],
    ["https://user:word@example.com/", "user name"],
    ["https://example.com@go.example/", "user name"],
    ["https://go.example/abc", "short link"],
    ["https://GO.example./abc", "short link"],
    ["https://go.example:8443/", "short link"],
    ["http:\\\\go.example\\abc", "short link"],
    ["https://ｇｏ.example/abc", "short link"],
    ["https://akimbo.test/s/abc", "short link"],
    ["https://akimbo.test/docs/../s/abc", "short link"],
    ["https://akimbo.me.workers.dev/s/abc", "short link"],
    ["http://127.0.0.1:8797/s/abc", "short link"],
    ["http://[::1]:8797/s/abc", "short link"],
    [`https://example.com/${"x".repeat(2_048)}`, "at most 2048"],
    [`https://example.com/${"ü".repeat(1_000)}`, "once it is encoded"],
  ])("is refused: %j", (text, told) => {
    expect(readDestination(text, OWN)).toEqual({ refusal: expect.stringContaining(told) });
  });
});

describe("a slug", () => {
  test.each(["a", "sale", "Sale-2026", "a_b", "ｓａｌｅ", "0".repeat(64)])(
    "is taken: %s",
    (text) => {
      expect(refusedSlug(text)).toBeNull();
      expect(isSlug(foldSlug(text))).toBe(true);
    },
  );

  test.each([
    "",
    "-a",
    "a-",
    "a b",
    "a/b",
    "a.b",
    "a%62",
    "ѕale",
    "sаle",
    "ﬁ\u200dt",
    "é",
    "😀",
    "a\r\n",
    "api",
    "API",
    "ａｐｉ",
    "s",
    "robots",
    "x".repeat(65),
  ])("is refused: %j", (text) => {
    expect(refusedSlug(text)).toEqual(expect.any(String));
    expect(isSlug(foldSlug(text))).toBe(false);
  });

  test("is the same in capitals and in full-width letters", () => {
    expect(["Sale", "SALE", "ｓａｌｅ", "ſale"].map(foldSlug)).toEqual(Array(4).fill("sale"));
  });

  test("is made of letters that nobody confuses, and each is another", () => {
    const made = Array.from({ length: 5_000 }, newSlug);
    expect(new Set(made).size).toBe(5_000);
    expect(made.filter((slug) => !/^[2-9a-hjkmnp-z]{7}$/.test(slug))).toEqual([]);
    expect(made.filter((slug) => refusedSlug(slug) !== null)).toEqual([]);
    const counts = Map.groupBy(made.join(""), (letter) => letter);
    expect(counts.size).toBe(31);
    for (const { length } of counts.values())
      expect(Math.abs(length - 35_000 / 31)).toBeLessThan(250);
  });
});

const AGENTS: [string, Device, System | null][] = [
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
    "mobile",
    "ios",
  ],
  [
    "Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
    "tablet",
    "ios",
  ],
  [
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36",
    "mobile",
    "android",
  ],
  [
    "Mozilla/5.0 (Linux; Android 15; SM-X910) AppleWebKit/537.36 Chrome/140.0 Safari/537.36",
    "tablet",
    "android",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.5 Safari/605.1.15",
    "desktop",
    "macos",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36",
    "desktop",
    "windows",
  ],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "desktop", "linux"],
  [
    "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36",
    "desktop",
    null,
  ],
  ["Mozilla/5.0 (Android 15; Tablet; rv:140.0) Gecko/140.0 Firefox/140.0", "tablet", "android"],
  ["curl/8.5.0", "desktop", null],
  ["", "desktop", null],
];

test.each(AGENTS)("the user agent %s is %s, %s", (agent, device, system) => {
  expect([deviceOf(agent), systemOf(agent)]).toEqual([device, system]);
});

test.each([
  [null, null],
  ["", null],
  ["*", null],
  ["de-AT,de;q=0.9,en;q=0.8", "de-at"],
  ["en;q=0.5, fr;q=0.9", "fr"],
  ["en;q=0, fr;q=0.1", "fr"],
  ["fr, en", "fr"],
  ["<script>, en", "en"],
])("of Accept-Language %j the best is %j", (header, language) => {
  expect(languageOf(header)).toBe(language);
});
