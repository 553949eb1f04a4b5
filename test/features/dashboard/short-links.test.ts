import { env } from "cloudflare:workers";
import jsQR from "jsqr";
import { beforeEach, describe, expect, test } from "vitest";
import {
  createMember,
  type Harness,
  harnessWith,
  type Member,
  START,
} from "../../support/harness.ts";
import { LinkPages } from "../../support/link-pages.ts";
import { measure } from "../../support/meter.ts";
import { Browser } from "../../support/person.ts";
import { Visits } from "../../support/visits.ts";
import { compareVisitors, RULES } from "./tried-visitors.ts";

const LIST = "/app/short-links";
const TO = "https://example.com/";

let harness: Harness;
let member: Member;
let browser: Browser;
let links: LinkPages;

async function begin(config: Parameters<typeof harnessWith>[0] = {}) {
  harness = harnessWith({ publicUrl: "https://akimbo.test", ...config });
  member = await createMember();
  browser = await new Browser(harness).signIn(member);
  links = new LinkPages(harness, browser, member.token);
}
beforeEach(() => begin());

const make = (fields?: Record<string, string>) => links.make(fields);
const read = (path: string) => links.read(path);
const give = (path: string, json: object) => links.give(path, json);

describe("a link", () => {
  test("is made, listed, searched, changed, switched off and deleted by forms", async () => {
    expect((await browser.get(LIST)).html).toContain("There are no links yet.");
    const path = await make({ slug: "autumn", title: `<b>"Autumn"</b>`, useDeeplink: "true" });
    const page = await browser.get(`${path}?done=created`);
    expect(page.html).toContain("The link is made, and works at once.");
    expect(page.html).toContain("https://akimbo.test/s/autumn");
    expect(page.html).toContain("&lt;b&gt;&quot;Autumn&quot;&lt;/b&gt;");
    await make({ slug: "spring" });
    expect((await browser.get(LIST)).html).toContain("2 links");
    const found = await browser.get(`${LIST}?search=AUTUMN`);
    expect(found.html).toContain("1 link<");
    expect(found.html).not.toContain("spring");
    expect((await browser.get(`${LIST}?search=winter`)).html).toContain("No link matches.");
    const odd = await browser.post(LIST, { url: TO, title: "a".repeat(201), domainId: "x" });
    expect(odd.html).toContain('id="title-error" role="alert">May have at most 200 characters.');
    expect(odd.html).toContain('id="domainId-error" role="alert">Is none of the choices.');
    const long = await browser.get(`${LIST}?search=${"a".repeat(101)}`);
    expect(long.html).toContain("Search for at most 100 characters. All links are shown.");

    const changed = await browser.post(path, {
      url: `${TO}other`,
      slug: "autumn-2",
      botProtection: "true",
      safeUrl: `${TO}safe`,
    });
    expect(changed).toMatchObject({ status: 303, location: `${path}?done=changed` });
    expect(await read(path)).toMatchObject({
      slug: "autumn-2",
      destination: `${TO}other`,
      title: null,
      useDeeplink: false,
      botProtection: true,
      safeUrl: `${TO}safe`,
    });
    const off = await browser.post(`${path}/switch`, { on: "false", back: "list" });
    expect(off.location).toBe(`${LIST}?done=off`);
    expect((await read(path)).isActive).toBe(false);
    const on = await browser.post(`${path}/switch`, { on: "true", back: "link" });
    expect(on.location).toBe(`${path}?done=on`);
    expect((await browser.post(`${path}/delete`)).location).toBe(`${LIST}?done=deleted`);
    expect((await browser.get(path)).status).toBe(404);
  });

  const REFUSED: [fields: Record<string, string>, id: string, text: string][] = [
    [{ url: "ftp://example.com" }, "url", "Must begin with https:// or http://."],
    [{ url: "https://akimbo.test/s/autumn" }, "url", "Must not be a short link of this service"],
    [{ slug: "a b" }, "slug", "Must have only the letters a to z"],
    [{ slug: "TAKEN" }, "slug", "is taken. Choose another"],
    [{ botProtection: "true" }, "safeUrl", "Is needed for the box above."],
    [{ imageUrl: "nowhere" }, "imageUrl", "Is not a URL."],
    [{ domainId: "77" }, "domainId", "Is not a domain of the team."],
  ];
  test.each(REFUSED)(
    "that is refused comes back with the words at the field: %j",
    async (fields, id, text) => {
      const taken = `taken-${member.teamId}`;
      await make({ slug: taken });
      const sent: Record<string, string> = { url: TO, title: "What I wrote", ...fields };
      if (fields.slug === "TAKEN") sent.slug = taken;
      const path = await make();
      for (const target of [LIST, path]) {
        const { status, html } = await browser.post(target, sent);
        expect([400, 409]).toContain(status);
        expect(html).toContain("Nothing was saved.");
        const [, shown = ""] = new RegExp(`id="${id}-error"[^>]*>([^<]*)`).exec(html) ?? [];
        expect(shown).toContain(text);
        expect(html).toMatch(new RegExp(`id="${id}"[^>]*aria-invalid="true"`));
        expect(html).toContain('value="What I wrote"');
      }
    },
  );

  test("of another team is not there", async () => {
    const path = await make();
    const other = await new Browser(harness).signIn(await createMember());
    for (const end of ["", "/qr.svg", "/qr.png"]) {
      expect((await other.get(path + end)).status).toBe(404);
    }
    expect((await other.post(`${path}/rules`, { do: "save" })).status).toBe(404);
  });
});

const geo = (key: number, countryCodes: string, destination = `${TO}geo`) => ({
  [`rules.${key}.type`]: "geo",
  [`rules.${key}.countryCodes`]: countryCodes,
  [`rules.${key}.destination`]: destination,
});

describe("rules", () => {
  test("of each type are saved in the order of the form", async () => {
    await env.DB.prepare("UPDATE teams SET zone = 'Europe/Berlin' WHERE id = ?")
      .bind(member.teamId)
      .run();
    const path = await make();
    const saved = await browser.post(`${path}/rules`, {
      zone: "Europe/Berlin",
      do: "save",
      ...geo(7, "Germany, at", `${TO}geo`),
      "rules.7.moreCountries": "Switzerland",
      "rules.1.type": "device",
      "rules.1.devices": ["mobile", "tablet"],
      "rules.1.os": "ios",
      "rules.1.destination": `${TO}device`,
      "rules.2.type": "language",
      "rules.2.languages": "de, pt-BR",
      "rules.2.destination": `${TO}language`,
      "rules.3.type": "time",
      "rules.3.startTime": "2026-12-24T18:00",
      "rules.3.endTime": "2026-12-25T00:00",
      "rules.3.destination": `${TO}time`,
      "rules.4.type": "referer",
      "rules.4.referers": "news.example.com, coupon",
      "rules.4.destination": `${TO}referer`,
    });
    expect(saved).toMatchObject({ status: 303, location: `${path}?done=rules#rules` });
    const { rules } = await read(path);
    expect(rules).toEqual([
      { type: "geo", priority: 4, destination: `${TO}geo`, countryCodes: "DE,AT,CH" },
      {
        type: "device",
        priority: 3,
        destination: `${TO}device`,
        devices: "mobile,tablet",
        os: "ios",
      },
      { type: "language", priority: 2, destination: `${TO}language`, languages: "de,pt-br" },
      {
        type: "time",
        priority: 1,
        destination: `${TO}time`,
        startTime: "2026-12-24T17:00:00.000Z",
        endTime: "2026-12-24T23:00:00.000Z",
      },
      {
        type: "referer",
        priority: 0,
        destination: `${TO}referer`,
        referers: "news.example.com,coupon",
      },
    ]);
    const { html } = await browser.get(path);
    expect(html).toContain("Germany, Austria, Switzerland");
    expect(html).toContain('value="2026-12-24T18:00"');
  });

  test("that the API gave stay to the second when they are saved again", async () => {
    const path = await make();
    const rule = { type: "time", startTime: "2026-12-24T18:00:30.500Z", destination: `${TO}time` };
    await give(path, { rules: [rule] });
    const { html } = await browser.get(path);
    const hidden = [...html.matchAll(/name="(rules\.0\.\w+)" value="([^"]*)"/g)];
    const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
    const start = /value="(2026-12-24T18:00)"/.exec(html)?.[1] ?? "";
    await browser.post(`${path}/rules`, {
      ...fields,
      "rules.0.startTime": start,
      "rules.0.destination": `${TO}later`,
      zone: "UTC",
      do: "save",
    });
    const [stored] = (await read(path)).rules;
    expect(stored).toMatchObject({ startTime: rule.startTime, destination: `${TO}later` });
  });

  const placesIn = (html: string) =>
    [
      ...html.matchAll(
        /name="rules\.(\d)\.countryCodes"[^>]*value="([^"]*)"|value="([^"]*)"[^>]*name="rules\.\d\.countryCodes"/g,
      ),
    ].map(([, , one, other]) => one ?? other);

  test("are moved, removed and added by buttons, and nothing is saved meanwhile", async () => {
    const path = await make();
    const rows = { ...geo(0, "DE"), ...geo(1, "AT"), ...geo(2, "CH") };
    const press = (action: string) => browser.post(`${path}/rules`, { ...rows, do: action });
    expect(placesIn((await press("up:2")).html)).toEqual(["DE", "CH", "AT"]);
    expect(placesIn((await press("down:0")).html)).toEqual(["AT", "DE", "CH"]);
    expect(placesIn((await press("remove:1")).html)).toEqual(["DE", "CH"]);
    const added = await press("add:time");
    expect(placesIn(added.html)).toEqual(["DE", "AT", "CH"]);
    expect(added.html).toContain('id="rule-3-startTime"');
    expect(added.html).toContain("Changed, and not saved yet.");
    for (const odd of ["up:0", "down:2", "up:9", "add:nothing", "nonsense"]) {
      expect(placesIn((await press(odd)).html)).toEqual(["DE", "AT", "CH"]);
    }
    expect((await read(path)).rules).toEqual([]);
  });

  const REFUSED: [fields: Record<string, string>, id: string, text: string][] = [
    [
      geo(0, "Deutschland"),
      "rule-0-countryCodes",
      "not a country. Write its English name, such as Germany, or its code, such as DE.",
    ],
    [
      { "rules.0.type": "time", "rules.0.destination": TO },
      "rule-0",
      "Give “From” or “Until”, or both.",
    ],
    [geo(0, "DE", "nowhere"), "rule-0-destination", "Is not a URL."],
    [
      { "rules.0.type": "device", "rules.0.destination": TO },
      "rule-0",
      "Needs a device or a system.",
    ],
    [
      {
        "rules.0.type": "time",
        "rules.0.startTime": "2026-12-24T18:00",
        "rules.0.endTime": "2026-12-24T17:00",
        "rules.0.destination": TO,
      },
      "rule-0-endTime",
      "Must be after “From”.",
    ],
    ...["2026-02-30T10:00", "2026-12-01"].map((startTime): (typeof REFUSED)[number] => [
      { "rules.0.type": "time", "rules.0.startTime": startTime, "rules.0.destination": TO },
      "rule-0-startTime",
      "Give a date that exists, and a time.",
    ]),
    [
      { "rules.0.type": "language", "rules.0.languages": "?", "rules.0.destination": TO },
      "rule-0-languages",
      "not a language code",
    ],
  ];
  test.each(REFUSED)(
    "that are refused come back with the words at the field: %j",
    async (fields, id, text) => {
      const path = await make();
      const { status, html } = await browser.post(`${path}/rules`, { ...fields, do: "save" });
      expect(status).toBe(400);
      const [, shown = ""] = new RegExp(`id="${id}-error"[^>]*>([^<]*)`).exec(html) ?? [];
      expect(shown).toContain(text);
      expect((await read(path)).rules).toEqual([]);
    },
  );

  const seenIn = (html: string): string[] =>
    [...html.matchAll(/name="seenAt" value="(\d+)"/g)].map(([, at]) => at ?? "");

  test("of two tabs: the later save is refused with what was typed, and saved when sent again", async () => {
    const path = await make();
    const [seenAt = "", another] = seenIn((await browser.get(path)).html);
    expect(another).toBe(seenAt);
    const save = (fields: Record<string, string>) =>
      browser.post(`${path}/rules`, { ...fields, do: "save" });
    expect((await save({ ...geo(0, "DE"), seenAt })).status).toBe(303);
    const late = await save({ ...geo(0, "AT"), seenAt });
    expect(late.status).toBe(409);
    expect(late.html).toContain("The link or its rules were changed meanwhile");
    expect(placesIn(late.html)).toEqual(["AT"]);
    expect((await read(path)).rules).toMatchObject([{ countryCodes: "DE" }]);

    const typed = { url: `${TO}late`, title: "Typed", seenAt };
    const link = await browser.post(path, typed);
    expect(link.status).toBe(409);
    expect(link.html).toContain('value="https://example.com/late"');
    expect(await read(path)).toMatchObject({ destination: TO, title: null });

    const [now = ""] = seenIn(late.html);
    expect((await save({ ...geo(0, "AT"), seenAt: now })).status).toBe(303);
    expect((await read(path)).rules).toMatchObject([{ countryCodes: "AT" }]);
  });

  test("of two tabs, saved at the same time: one is saved, the other refused", async () => {
    const path = await make();
    const [seenAt = ""] = seenIn((await browser.get(path)).html);
    const places = ["DE", "AT", "CH", "FR"];
    const saves = await Promise.all(
      places.map((place) =>
        browser.post(`${path}/rules`, { ...geo(0, place), seenAt, do: "save" }),
      ),
    );
    const statuses = saves.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([303, 409, 409, 409]);
    const { rules } = await read(path);
    expect(rules).toMatchObject([{ countryCodes: places[statuses.indexOf(303)] }]);
  });

  test("keep their version while they are moved or refused, so that a newer save is still seen", async () => {
    const path = await make();
    const [seenAt = ""] = seenIn((await browser.get(path)).html);
    await browser.post(`${path}/rules`, { ...geo(0, "DE"), seenAt, do: "save" });
    const added = await browser.post(`${path}/rules`, { ...geo(0, "AT"), seenAt, do: "add:geo" });
    expect(seenIn(added.html)[0]).toBe(seenAt);
    const wrong = await browser.post(`${path}/rules`, { ...geo(0, "??"), seenAt, do: "save" });
    expect([wrong.status, seenIn(wrong.html)[0]]).toEqual([400, seenAt]);
  });

  test("that did not arrive whole, or are more than the page shows, change nothing", async () => {
    const path = await make();
    await browser.post(`${path}/rules`, { ...geo(0, "DE"), do: "save" });
    const many = Array.from({ length: 101 }, (_, i) => geo(i, "AT"));
    const refused: [fields: Record<string, string>, words: string][] = [
      [{}, "did not arrive whole"],
      [{ ...geo(0, "AT"), "rules.1.countryCodes": "CH", do: "save" }, "did not arrive whole"],
      [{ ...Object.assign({}, ...many), do: "save" }, "This page takes at most 100 rules."],
    ];
    for (const [fields, words] of refused) {
      const { status, html } = await browser.post(`${path}/rules`, fields);
      expect([status, html.includes(words)]).toEqual([400, true]);
    }
    expect((await read(path)).rules).toMatchObject([{ countryCodes: "DE" }]);
  });
});

/** The same numbers in every run. */
describe("a visitor who is tried", () => {
  test("goes where a real one goes: 300 visitors of three links, no difference", () =>
    compareVisitors(300, harness, browser, links));

  test("is told why", async () => {
    const path = await make();
    await give(path, { rules: RULES });
    const ask = async (fields: Record<string, string>) =>
      (
        await browser.get(
          `${path}?${new URLSearchParams({ browser: "mobile-ios", at: "2026-12-01T10:00", ...fields })}`,
        )
      ).html;
    const german = await ask({ country: "DE" });
    expect(german).toContain(
      "Because of rule 2: the country is Germany or Austria. It is the first rule that fits.",
    );
    expect(german).toContain("This visitor: from Germany, on a phone, with iOS");
    expect(await ask({ country: "US" })).toContain("None of the 6 rules fits.");
    await give(path, { isActive: false });
    expect(await ask({})).toContain("because the link is off");
    expect(await ask({ at: "yesterday" })).toContain("Give a date that exists, and a time.");
    expect(await ask({ country: "XX" })).not.toContain('id="answer"');
  });
});

describe("clicks", () => {
  test("are shown by day of the zone, by country, device and rule", async () => {
    await env.DB.prepare("UPDATE teams SET zone = 'Asia/Kathmandu' WHERE id = ?")
      .bind(member.teamId)
      .run();
    const path = await make({ slug: "counted" });
    const german = { type: "geo", countryCodes: "DE", destination: `${TO}de` };
    await give(path, { rules: [german] });
    const visits = new Visits(harness);
    const visit = (country: string) => visits.follow("https://akimbo.test/s/counted", { country });
    const headers = { "user-agent": "Googlebot/2.1" };
    await visits.follow("https://akimbo.test/s/counted", { country: "DE", headers });
    // 09:00 UTC is 14:45 there; nine hours and a quarter later is the next day.
    for (const country of ["DE", "DE", "US"]) await visit(country);
    harness.advance(9.25 * 3_600);
    await visit("DE");
    await visits.deliver();
    const { html } = await browser.get(path);
    expect(html).toContain("4 clicks in the last 30 days, most of them on Tue, 1 Dec 2026: 3.");
    expect(html).toContain("Beside them, 1 click of bots.");
    expect(html).toMatch(/<time datetime="2026-12-02">.*?<td class="number">1</s);
    const figures = (name: string) =>
      new RegExp(`<td>${name}</td><td><svg.*?</td><td>(\\d+)</td>`).exec(html)?.[1];
    expect(
      ["Germany", "United States", "Computer", "Rule 1: Country", "No rule"].map(figures),
    ).toEqual(["3", "1", "4", "3", "1"]);
    await give(path, {
      rules: [
        { type: "language", languages: "de", destination: TO },
        { ...german, priority: 5 },
      ],
    });
    const moved = (await browser.get(path)).html;
    expect(moved).toMatch(/<td>Rule 1: Country<\/td><td><svg.*?<\/td><td>3</);
    await give(path, { rules: [{ ...german, countryCodes: "FR" }] });
    expect((await browser.get(path)).html).toMatch(
      /<td>Rules that the link had<\/td><td><svg.*?<\/td><td>3</,
    );
  });

  test("of the time before they were counted by quarters stay on their day", async () => {
    const path = await make();
    const id = path.replace(`${LIST}/`, "");
    await env.DB.prepare(
      "INSERT INTO link_days (link_id, day, clicks, countries, devices) VALUES (?, ?, 5, '{}', '{}')",
    )
      .bind(id, Math.floor(START.getTime() / 86_400_000) - 2)
      .run();
    const { html } = await browser.get(path);
    expect(html).toContain("5 clicks in the last 30 days, most of them on Sun, 29 Nov 2026: 5.");
  });
});

describe("domains", () => {
  const serveDns = (records: Record<string, string>) => {
    harness.network = async (input) => {
      const url = new URL(new Request(input).url);
      const name = `${url.searchParams.get("type")} ${url.searchParams.get("name")}`;
      const type = name.startsWith("TXT") ? 16 : 5;
      const data = records[name];
      const Answer = data === undefined ? [] : [{ name, type, TTL: 60, data }];
      return Response.json({ Status: Answer.length > 0 ? 0 : 3, Answer });
    };
  };
  const DOMAINS = `${LIST}/domains`;

  test("are added, checked, used and removed by forms", async () => {
    const host = `go-${member.teamId}.example.com`;
    const added = await browser.post(DOMAINS, { domain: host });
    expect(added).toMatchObject({ status: 303, location: `${DOMAINS}?done=added` });
    const { html } = await browser.get(DOMAINS);
    const [, value = ""] = /<pre>(akimbo-[0-9a-f]{32})<\/pre>/.exec(html) ?? [];
    expect(html).toContain(`<pre>_akimbo.${host}</pre>`);
    expect(html).toContain("<pre>akimbo.test</pre>");
    const [, check = ""] = /action="([^"]*\/check)\?/.exec(html) ?? [];
    serveDns({ [`TXT _akimbo.${host}`]: `"${value}"` });
    const missing = await browser.post(check);
    expect(missing.status).toBe(400);
    expect(missing.html).toContain(
      `${host} is not verified yet. Missing: a CNAME record ${host} to akimbo.test.`,
    );
    serveDns({ [`TXT _akimbo.${host}`]: `"${value}"`, [`CNAME ${host}`]: "akimbo.test." });
    expect((await browser.post(check)).location).toBe(`${DOMAINS}?done=verified`);
    const id = /domains\/(\d+)\//.exec(check)?.[1] ?? "";
    const path = await make({ slug: "here", domainId: id });
    expect((await browser.get(path)).html).toContain(`https://${host}/here`);
    expect((await browser.get(DOMAINS)).html).toContain("The link on it will be deleted");
    const removed = await browser.post(`${DOMAINS}/${id}/remove`);
    expect(removed.location).toBe(`${DOMAINS}?done=removed`);
    expect((await browser.get(path)).status).toBe(404);
  });

  test("that are refused come back with the words at the field", async () => {
    const { status, html } = await browser.post(DOMAINS, { domain: "not a domain" });
    expect(status).toBe(400);
    expect(html).toMatch(/id="domain-error"[^>]*>Must be a fully qualified domain name/);
    expect(html).toContain('value="not a domain"');
  });

  test("of a plan that has none are not offered", async () => {
    await env.DB.prepare("UPDATE teams SET plan = 'basic', has_legacy_domains = 0 WHERE id = ?")
      .bind(member.teamId)
      .run();
    expect((await browser.get(DOMAINS)).html).toContain("plan has no domains of its own");
    expect((await browser.post(DOMAINS, { domain: "go.example.com" })).status).toBe(403);
  });
});

interface Bitmap {
  size: number;
  /** Red, green, blue and opacity of each pixel. */
  pixels: Uint8ClampedArray;
}

const paint = (size: number, ink: readonly number[], isInk: (x: number, y: number) => boolean) => {
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) if (isInk(x, y)) pixels.set(ink, (y * size + x) * 4);
  }
  return { size, pixels };
};

const bytesOf = async (path: string) => {
  const { html, headers } = await browser.get(path);
  expect(headers.get("content-type")).toMatch(/^image\/(?:svg\+xml|png)$/);
  return html;
};

/** Draws each module in 4 pixels. */
function drawSvg(svg: string): Bitmap {
  const side = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
  const [, fill = "", path = ""] = /<path fill="#(?!ffffff)(\w{6})" d="([^"]*)"/.exec(svg) ?? [];
  const ink = [0, 2, 4].map((at) => Number.parseInt(fill.slice(at, at + 2), 16));
  const dark = new Set<number>();
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let i = 0; i < Number(width); i++) dark.add(Number(y) * side + Number(x) + i);
  }
  return paint(side * 4, ink, (x, y) => dark.has(Math.floor(y / 4) * side + Math.floor(x / 4)));
}

async function readPng(bytes: Uint8Array<ArrayBuffer>): Promise<Bitmap> {
  const view = new DataView(bytes.buffer);
  const chunks = new Map<string, Uint8Array<ArrayBuffer>>();
  for (let at = 8; at < bytes.length; ) {
    const length = view.getUint32(at);
    const type = new TextDecoder().decode(bytes.subarray(at + 4, at + 8));
    chunks.set(type, bytes.slice(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const header = chunks.get("IHDR") ?? new Uint8Array();
  const size = new DataView(header.buffer).getUint32(0);
  expect([...header.slice(8)]).toEqual([1, 3, 0, 0, 0]);
  const data = new Blob([chunks.get("IDAT") ?? new Uint8Array()]).stream();
  const raw = new Uint8Array(
    await new Response(data.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer(),
  );
  const stride = 1 + Math.ceil(size / 8);
  expect(raw.length).toBe(stride * size);
  const ink = [...(chunks.get("PLTE") ?? [])].slice(3);
  const bit = (x: number, y: number) => (raw[y * stride + 1 + (x >> 3)] ?? 0) & (0x80 >> (x & 7));
  return paint(size, ink, (x, y) => bit(x, y) !== 0);
}

/** The colour of the first pixel that is not white. */
function inkOf(pixels: Uint8ClampedArray): number[] {
  for (let i = 0; i < pixels.length; i += 4) {
    const colour = [...pixels.slice(i, i + 3)];
    if (colour.some((part) => part < 255)) return colour;
  }
  return [];
}

/** How many pixels of white there are at the least at each edge. */
const quietIn = ({ size, pixels }: Bitmap): number => {
  let least = size;
  for (let i = 0; i < pixels.length; i += 4) {
    if (pixels[i] === 255 && pixels[i + 1] === 255 && pixels[i + 2] === 255) continue;
    const [x, y] = [(i / 4) % size, Math.floor(i / 4 / size)];
    least = Math.min(least, x, y, size - 1 - x, size - 1 - y);
  }
  return least;
};

describe("a QR code", () => {
  test("of 20 addresses is read back from both files, in every size and colour", async () => {
    for (let i = 0; i < 20; i++) {
      const slug = `code-${member.teamId}-${"x".repeat(i * 2)}${i}`;
      const path = await make({ slug });
      const address = `https://akimbo.test/s/${slug}`;
      const colour = ["000000", "3a46d6", "0b6b3c", "a1202b"][i % 4] ?? "";
      const svg = drawSvg(await bytesOf(`${path}/qr.svg?size=256&colour=${colour}`));
      expect(jsQR(svg.pixels, svg.size, svg.size)?.data).toBe(address);
      expect(quietIn(svg)).toBe(16);
      for (const size of i === 0 ? [128, 200, 255, 512, 1_024, 2_048] : [256, 300 + i]) {
        const answer = await browser.bytes(`${path}/qr.png?size=${size}&colour=${colour}`);
        const png = await readPng(answer);
        expect(png.size).toBe(size);
        expect(jsQR(png.pixels, size, size)?.data, `${size}`).toBe(address);
        expect(quietIn(png) / (size / (svg.size / 4))).toBeGreaterThanOrEqual(4 * 0.7);
      }
    }
  }, 60_000);

  const brand = (color: string | null) =>
    harness.call("PATCH", "/settings", { token: member.token, json: { branding: { color } } });

  test("is in the workspace's colour, or black without one, and is read back in it", async () => {
    const path = await make({ slug: `own-${member.teamId}` });
    const address = `https://akimbo.test/s/own-${member.teamId}`;
    for (const [color, query, ink] of [
      [null, "", [0, 0, 0]],
      ["#0b6b3c", "", [11, 107, 60]],
      ["#0b6b3c", "?colour=a1202b", [161, 32, 43]],
    ] as const) {
      await brand(color);
      const svg = drawSvg(await bytesOf(`${path}/qr.svg${query}`));
      const png = await readPng(await browser.bytes(`${path}/qr.png${query}`));
      for (const { size, pixels } of [svg, png]) {
        expect(jsQR(pixels, size, size)?.data).toBe(address);
        expect(inkOf(pixels)).toEqual(ink);
      }
      const hex = ink.map((part) => part.toString(16).padStart(2, "0")).join("");
      const { html } = await browser.get(path + query);
      expect(html).toContain(`/qr.svg?size=512&amp;colour=${hex}`);
      expect(html).toContain(`type="color" value="#${hex}"`);
    }
  });

  test("and its page read the workspace's colour in their one round trip", async () => {
    const path = await make();
    await brand("#ffd400");
    for (const address of [path, `${path}/qr.svg`, `${path}/qr.png`]) {
      const { result, costs } = await measure(harness, () => browser.get(address));
      expect(result.status).toBe(200);
      expect(costs.roundTrips).toHaveLength(1);
    }
    expect((await browser.get(path)).html).toContain("too light to be scanned");
    expect((await browser.get(`${path}?colour=000000`)).html).not.toContain("too light");
  });

  test("that is too light warns, and offers black", async () => {
    const path = await make();
    for (const [colour, isWarned] of [
      ["ffd400", true],
      ["8a8a8a", false],
      ["a0a0a0", true],
      ["3a46d6", false],
    ] as const) {
      const { html } = await browser.get(`${path}?colour=%23${colour}`);
      expect([colour, html.includes("too light to be scanned")]).toEqual([colour, isWarned]);
      expect(html.includes("colour=000000")).toBe(isWarned);
      expect(html).toContain(`/qr.svg?size=512&amp;colour=${colour}`);
    }
  });

  test.each(["size=0", "size=127", "size=2049", "size=abc", "size=", "colour=red", "colour="])(
    "with %s is refused",
    async (query) => {
      const path = await make();
      for (const type of ["svg", "png"]) {
        expect((await browser.get(`${path}/qr.${type}?${query}`)).status).toBe(400);
      }
    },
  );
});
