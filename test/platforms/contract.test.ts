import sources from "texts:src";
import { beforeAll, describe, expect, test } from "vitest";
import type { FieldError } from "../../src/core/errors.ts";
import { PLATFORMS, type Platform } from "../../src/core/platforms.ts";
import type { Connector, MediaKind, Post } from "../../src/platforms/connector.ts";
import { connectorOf, connectors } from "../../src/platforms/registry.ts";

/** Source: spec, "Daily posting caps"; design, where the spec names no platform. */
const DAILY_CAPS: Record<Platform, number> = {
  tiktok: 15,
  youtube: 10,
  instagram: 50,
  x: 50,
  linkedin: 150,
  threads: 150,
  bluesky: 150,
  facebook: 25,
  pinterest: 20,
  mastodon: 150,
  telegram: 150,
  discord: 150,
  google_business: 25,
};

const KINDS: MediaKind[] = ["image", "video", "document"];

const named = PLATFORMS.map((platform): [Platform, Connector] => [platform, connectorOf(platform)]);

const emptyPost = ({ settings }: Connector): Post => ({
  title: null,
  description: null,
  media: [],
  settings: settings.read({}).values,
});

test("each connector stands under its own name", () => {
  expect(connectors().map(({ platform }) => platform)).toEqual([...PLATFORMS]);
  for (const [platform, connector] of named) expect(connector.platform).toBe(platform);
});

describe.each(named)("%s", (platform, connector) => {
  const { capabilities, needs, timing, settings } = connector;

  test("has limits that are positive, or null where there is no such field", () => {
    const limits = Object.values(capabilities.limits);
    expect(limits).toHaveLength(6);
    for (const limit of limits) {
      if (limit === null) continue;
      expect(Number.isInteger(limit)).toBe(true);
      expect(limit).toBeGreaterThan(0);
    }
    expect(capabilities.limits.postCharacters).not.toBeNull();
  });

  test("has the daily cap that was agreed", () => {
    expect(capabilities.dailyPostCap).toBe(DAILY_CAPS[platform]);
  });

  test("names types and sizes for the kinds it takes, and for no other", () => {
    const { mediaSupport } = capabilities;
    expect(mediaSupport.kinds.length).toBeGreaterThan(0);
    expect(mediaSupport.maxCount).toBeGreaterThan(0);
    for (const kind of KINDS) {
      const types = mediaSupport[`${kind}Types`];
      const maxBytes = mediaSupport[`${kind}MaxBytes`];
      if (!mediaSupport.kinds.includes(kind)) {
        expect([kind, types, maxBytes]).toEqual([kind, undefined, undefined]);
        continue;
      }
      expect(types?.length).toBeGreaterThan(0);
      for (const type of types ?? []) expect(type).toMatch(/^(image|video|application)\/[\w.+-]+$/);
      expect(maxBytes).toBeGreaterThan(0);
    }
  });

  test("writes banned hashtags in lower case, without the #, each once", () => {
    const { bannedHashtags } = capabilities;
    expect(new Set(bannedHashtags).size).toBe(bannedHashtags.length);
    for (const tag of bannedHashtags) expect(tag).toMatch(/^[\p{Ll}\p{N}_]+$/u);
  });

  test("says of every setting what it is", () => {
    const infos = Object.entries(settings.infos);
    expect(infos.length).toBeGreaterThan(0);
    for (const [name, { type, description, values }] of infos) {
      expect([name, ["string", "boolean", "integer", "array"].includes(type)]).toEqual([
        name,
        true,
      ]);
      expect([name, description]).toEqual([name, expect.stringMatching(/^\S.{5,}/s)]);
      if (values) expect([name, values.length]).not.toEqual([name, 0]);
    }
  });

  test("reads no settings at all as its defaults, and empty ones as left out", () => {
    const defaults = settings.read({}).values;
    const empty = Object.fromEntries(Object.keys(settings.infos).map((name) => [name, ""]));
    expect(settings.read(empty).values).toEqual(defaults);
  });

  test("leaves out fields of other platforms", () => {
    const foreign = { accountId: "acc_0", somebody_elses: "1" };
    expect(settings.read(foreign).values).toEqual(settings.read({}).values);
  });

  test("takes every value that it names", () => {
    for (const [name, { type, values = [] }] of Object.entries(settings.infos)) {
      for (const value of values) {
        const read = settings.read({ [name]: value }).values as Record<string, unknown>;
        expect([name, read[name]]).toEqual([name, type === "array" ? [value] : value]);
      }
    }
  });

  test("refuses an empty post in words", async () => {
    const issues = await connector.check(emptyPost(connector), { now: new Date(0) });
    expect(issues.length).toBeGreaterThan(0);
    for (const { field, message } of issues) {
      expect(field).toMatch(/^\w+$/);
      expect(message).toMatch(/^\S.{15,}\.$/s);
    }
  });

  test("takes text alone just where it says so", async () => {
    const post = { ...emptyPost(connector), title: "Hello", description: "Hello" };
    const fields = (await connector.check(post, { now: new Date(0) })).map(({ field }) => field);
    expect(fields.length === 0).toBe(capabilities.mediaSupport.textOnly);
  });

  test("says what its owner needs, and how long an undecided call rests", () => {
    if (needs.app !== null) {
      expect(needs.app).toMatch(/^\S.{10,}\.$/s);
      expect(needs.scopes.length).toBeGreaterThan(0);
    }
    for (const scope of needs.scopes) expect(scope).toMatch(/^\S+$/);
    for (const seconds of Object.values(timing)) expect(seconds).toBeGreaterThan(0);
    expect(connector.apiVersion.version).toMatch(/\S/);
  });
});

const HOSTILE: [string, string][] = [
  ["letters", "a"],
  ["spaces", " "],
  ["line feeds", "\n"],
  ["number signs", "#"],
  ["hashtags", "#a"],
  ["at signs", "@"],
  ["mentions", "@a "],
  ["asterisks", "*"],
  ["bold", "**a"],
  ["brackets", "(["],
  ["half addresses", "http://"],
  ["addresses", "https://a.example/?b=c "],
  ["domains", "a.b."],
  ["addresses of mail", "a@b.c "],
  ["emoji", "👩‍👩‍👧‍👦"],
  ["flags", "🇩🇪"],
  ["marks on one letter", "\u0301"],
  ["joiners", "\u200d"],
  ["characters that write backwards", "\u202e"],
  ["ideographs", "漢"],
  ["backslashes", "\\"],
  ["dots", "."],
];

const TEXT_UNITS = 250_000;
const MAX_RUNS = 5;
const MAX_CHECK_MS = 100;
/** Limit in readings of the same text, which are slow too on a busy machine. */
const MAX_READINGS = 100;
const READINGS = 20;

async function milliseconds(work: () => unknown): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

function readTimes(text: string, times: number): number {
  let sum = 0;
  for (let time = 0; time < times; time++) {
    for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0;
  }
  return sum;
}

describe.each(named)("%s, given a text of 250 KB", (_, connector) => {
  const postOf = (text: string): Post => ({
    ...emptyPost(connector),
    title: text,
    description: text,
  });

  beforeAll(async () => {
    await connector.check(postOf("Warm #up @one https://example.com 🙂"), { now: new Date(0) });
  });

  test.each(HOSTILE)("of %s, refuses it within 100 ms", async (_what, part) => {
    const text = part.repeat(Math.ceil(TEXT_UNITS / part.length)).slice(0, TEXT_UNITS);
    const post = postOf(text);
    let isQuick = false;
    let issues: FieldError[] = [];
    // Other load slows single runs, not every run.
    for (let run = 0; run < MAX_RUNS && !isQuick; run++) {
      const checking = await milliseconds(async () => {
        issues = await connector.check(post, { now: new Date(0) });
      });
      isQuick = checking < MAX_CHECK_MS;
      if (isQuick) break;
      const reading = (await milliseconds(() => readTimes(text, READINGS))) / READINGS;
      isQuick = checking < reading * MAX_READINGS;
    }
    expect(isQuick).toBe(true);
    expect(issues.length).toBeGreaterThan(0);
    for (const { message } of issues) expect(message.length).toBeLessThan(1_000);
  });
});

/** Modules loaded with this one: no types, no `import()`. */
const STATIC_IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^"';]*?\sfrom\s+)?"(\.[^"]+)"/gm;

function loadedWith(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const [, target = ""] of (sources[path] ?? "").matchAll(STATIC_IMPORT)) {
    loadedWith(new URL(target, `file:///${path}`).pathname.slice(1), seen);
  }
  return seen;
}

const FILES = "index capabilities settings check auth api failures publish".split(" ");

test.each(PLATFORMS)("%s has the files that every connector has", (platform) => {
  const missing = FILES.filter((name) => !sources[`platforms/${platform}/${name}.ts`]);
  expect(missing).toEqual([]);
});

describe("importing the registry", () => {
  const loaded = [...loadedWith("platforms/registry.ts")];

  test("reaches every connector", () => {
    expect(loaded.filter((path) => sources[path] === undefined)).toEqual([]);
    for (const platform of PLATFORMS) {
      expect(loaded).toContain(`platforms/${platform}/index.ts`);
    }
  });

  test("loads what describes the platforms, and nothing that checks, logs in or publishes", () => {
    const kits = loaded.filter((path) => /platforms\/(kit|meta|google)\//.test(path));
    expect(kits.map((path) => path.replace(/^.*platforms\//, "")).sort()).toEqual([
      "google/early-end.ts",
      "kit/form-fields.ts",
      "kit/lazily.ts",
      "meta/app-secret-proof.ts",
    ]);
    const own = loaded
      .filter((path) => !kits.includes(path))
      .flatMap((path) => /platforms\/\w+\/([\w-]+)\.ts$/.exec(path)?.[1] ?? []);
    expect([...new Set(own)].sort()).toEqual(["capabilities", "index", "settings"]);
  });
});
