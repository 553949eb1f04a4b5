import { expect } from "vitest";
import { createRandom } from "../../../src/cli/random.ts";
import { type Harness, START } from "../../support/harness.ts";
import type { LinkPages } from "../../support/link-pages.ts";
import type { Browser } from "../../support/person.ts";
import { Visits } from "../../support/visits.ts";

const TO = "https://example.com/";

export const RULES = [
  { type: "referer", referers: "news.example.com,coupon", destination: `${TO}referer` },
  { type: "geo", countryCodes: "DE,AT", destination: `${TO}geo` },
  { type: "device", devices: "mobile", os: "android", destination: `${TO}android` },
  { type: "device", devices: "tablet", destination: `${TO}tablet` },
  { type: "language", languages: "pt,de-ch", destination: `${TO}language` },
  {
    type: "time",
    startTime: "2026-12-24T00:00:00Z",
    endTime: "2026-12-26T00:00:00Z",
    destination: `${TO}time`,
  },
].map((rule, i, all) => ({ ...rule, priority: all.length - 1 - i }));

const AGENTS: Record<string, string> = {
  "mobile-ios": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Mobile/15E148",
  "tablet-ios": "Mozilla/5.0 (iPad; CPU OS 17_1 like Mac OS X) Mobile/15E148",
  "mobile-android": "Mozilla/5.0 (Linux; Android 14; SM-S921B) Chrome/139.0 Mobile Safari/537.36",
  "tablet-android": "Mozilla/5.0 (Linux; Android 13; SM-T870) Chrome/138.0 Safari/537.36",
  "desktop-windows": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Firefox/145.0",
  "desktop-macos": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15",
  "desktop-linux": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  "desktop-other": "Mozilla/5.0 (X11; CrOS x86_64 15917.71.0) Chrome/139.0 Safari/537.36",
};
const BOTS: Record<string, string> = {
  crawler: "Twitterbot/1.0",
  program: "Wget/1.21.3",
};

/** Compares where the page says that a visitor would go with where a real one goes. */
export async function compareVisitors(
  count: number,
  harness: Harness,
  browser: Browser,
  links: LinkPages,
): Promise<void> {
  const random = createRandom(33);
  const one = <T>(list: readonly T[]): T => list[random.between(0, list.length - 1)] as T;
  const paths = [
    await links.make({ slug: "plain" }),
    await links.make({ slug: "guarded" }),
    await links.make({ slug: "shown" }),
  ];
  const [plain = "", guarded = "", shown = ""] = paths;
  await links.give(plain, { rules: RULES });
  await links.give(guarded, {
    rules: RULES.toReversed().map(({ priority: _, ...rule }) => rule),
    botProtection: true,
    safeUrl: `${TO}safe`,
  });
  await links.give(shown, { rules: RULES.slice(2), title: "A title" });
  const visits = new Visits(harness);
  const addresses = new Map(
    paths.map((path, i) => [path, `https://akimbo.test/s/${["plain", "guarded", "shown"][i]}`]),
  );
  const seen = new Map<string, number>();
  let clock = START.getTime();
  for (let i = 0; i < count; i++) {
    const path = one(paths);
    const country = one(["", "DE", "AT", "US", "CH", "BR"]);
    const kind = one(Object.keys(AGENTS));
    const bot = one(["", "", "", "crawler", "program"]);
    const language = one(["", "de-AT,en;q=0.5", "pt-BR", "en;q=0.3,de-CH", "fr", "*", "x;q=2"]);
    const referer = one([
      "",
      "https://sub.news.example.com/",
      "https://a.test/?q=coupon",
      "https://b.test/",
    ]);
    const at = START.getTime() + random.between(0, 28 * 24 * 4 - 1) * 15 * 60_000;
    const query = new URLSearchParams({
      ...{ country, browser: kind, bot, language, referer },
      at: new Date(at).toISOString().slice(0, 16),
    });
    const { html } = await browser.get(`${path}?${query}`);
    harness.advance((at - clock) / 1_000);
    clock = at;
    const answer = await visits.visit(addresses.get(path) ?? "", {
      ...(country ? { country } : {}),
      headers: {
        "user-agent": bot ? (BOTS[bot] ?? "") : (AGENTS[kind] ?? ""),
        ...(language && { "accept-language": language }),
        ...(referer && { referer }),
      },
    });
    const [, decided = ""] = /data-kind="(\w+)"/.exec(html) ?? [];
    const [, to = ""] = /data-to[^>]*>([^<]*)/.exec(html) ?? [];
    const real =
      answer.headers.get("location") ??
      /<h1><a [^>]*href="([^"]*)/.exec(await answer.text())?.[1] ??
      "nowhere";
    expect([i, to], `${path}?${query}`).toEqual([i, real]);
    expect(decided === "preview").toBe(answer.status === 200);
    const name = `${decided} ${to}`;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    if (i % 100 === 0) await visits.settle();
  }
  expect(Math.min(...seen.values())).toBeGreaterThan(count / 400);
  expect(seen.size).toBeGreaterThan(8);
}
