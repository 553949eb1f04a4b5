import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { inProject } from "../../src/cli/paths.ts";
import type { Bundle } from "./bundle.ts";
import { type Instance, startAkimbo, startBare } from "./instance.ts";
import { type Call, forSeconds, load } from "./load.ts";
import { cpuMs } from "./process-cost.ts";
import { atMost, note, type Row } from "./report.ts";
import type { Effort } from "./requests.ts";
import { createTeam, type Team } from "./team.ts";
import type { Workspace } from "./workspace.ts";

const MAX_RATIO = 1.35;
const MIN_THROUGHPUT = 0.8;
const MAX_RULES_RATIO = 3;
const MAX_HUNDRED_RATIO = 2;
/** Links that are visited in turn, with five rules each. */
const LINKS = 100;
/** Time in which the last messages are stored. */
const LAST_CLICKS_MS = 3_000;

/** A Worker of Hono alone that answers the same. */
const HONO = `import { Hono } from "hono";
const app = new Hono();
app.get("/s/:slug", (c) => {
  c.header("Cache-Control", "no-store");
  return c.redirect("https://example.com/" + c.req.param("slug"));
});
export default app;`;

async function honoScript(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: HONO, resolveDir: inProject(), loader: "js" },
    ...{ bundle: true, format: "esm", minify: true, write: false },
  });
  return outputFiles[0]?.text ?? "";
}

const AGENT =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

/** A visit as a browser makes it. */
const visit = (slug: string): Call => ({
  method: "GET",
  path: `/s/${slug}`,
  headers: {
    "user-agent": AGENT,
    "accept-language": "de-AT,de;q=0.9,en;q=0.8",
    referer: "https://news.example.org/",
  },
  status: 302,
});

/** One of each type; the last matches, so that all are asked. */
const FIVE_RULES = [
  { type: "language", languages: "de", destination: "https://example.com/de", priority: 1 },
  { type: "geo", countryCodes: "JP,KR", destination: "https://example.com/asia" },
  { type: "device", devices: "mobile", os: "ios", destination: "https://example.com/ios" },
  {
    type: "time",
    startTime: "2001-01-01T00:00:00Z",
    endTime: "2001-01-02T00:00:00Z",
    destination: "https://example.com/then",
  },
  { type: "referer", referers: "other.example", destination: "https://example.com/other" },
];

const THOUSAND_RULES = Array.from({ length: 1_000 }, (_, i) => {
  const destination = `https://example.com/${i}`;
  const kinds = [
    { type: "geo", countryCodes: "JP" },
    { type: "device", devices: "mobile", os: "ios" },
    { type: "language", languages: "fr" },
    { type: "time", startTime: "2001-01-01T00:00:00Z", endTime: "2001-01-02T00:00:00Z" },
    { type: "referer", referers: `other${i}.example,word${i}` },
  ];
  return { ...kinds[i % kinds.length], destination };
});

async function create(instance: Instance, { token }: Team, json: object): Promise<number> {
  const answer = await fetch(`${instance.url}/api/v1/short-links`, {
    method: "POST",
    headers: { "x-api-key": token, "content-type": "application/json" },
    body: JSON.stringify({ url: "https://example.com/", ...json }),
  });
  const body = (await answer.json()) as { id: number };
  if (!answer.ok) throw new Error(`A link was refused: ${JSON.stringify(body)}`);
  return body.id;
}

async function clicksOf(instance: Instance, { token }: Team, id: number): Promise<number> {
  const answer = await fetch(`${instance.url}/api/v1/short-links/${id}`, {
    headers: { "x-api-key": token },
  });
  return ((await answer.json()) as { clicks: number }).clicks;
}

interface Measured {
  /** µs of CPU for each call, and calls a second. */
  micros: number;
  perSecond: number;
}

/** Measures redirects against a Worker of Hono alone in the same rounds, and counts their clicks. */
export async function measureRedirects(
  workspace: Workspace,
  bundle: Bundle,
  { rounds, seconds }: Effort,
): Promise<Row[]> {
  const bare = await startBare(workspace);
  const hono = await startBare(workspace, await honoScript());
  const instance = await startAkimbo(workspace, { bundle });
  const team = await createTeam(instance, 1);
  const five = await create(instance, team, { slug: "five", rules: FIVE_RULES });
  const thousand = await create(instance, team, { slug: "thousand", rules: THOUSAND_RULES });
  const hundred: number[] = [];
  for (let i = 0; i < LINKS; i++) {
    hundred.push(await create(instance, team, { slug: `one-of-${i}`, rules: FIVE_RULES }));
  }
  const runs = {
    bare: { instance: bare, slugOf: () => "five", visits: 0 },
    hono: { instance: hono, slugOf: () => "five", visits: 0 },
    five: { instance, slugOf: () => "five", visits: 0 },
    hundred: { instance, slugOf: (i: number) => `one-of-${i % LINKS}`, visits: 0 },
    thousand: { instance, slugOf: () => "thousand", visits: 0 },
  };
  const best: Record<string, Measured> = {};
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(runs)) {
      const before = cpuMs(run.instance.pid);
      const calls = await load(run.instance.url, (i) => visit(run.slugOf(i)), forSeconds(seconds));
      const micros = ((cpuMs(run.instance.pid) - before) * 1_000) / calls;
      run.visits += calls;
      if (round === 0) continue;
      const { micros: lowest = micros, perSecond = 0 } = best[name] ?? {};
      best[name] = {
        micros: Math.min(lowest, micros),
        perSecond: Math.max(perSecond, calls / seconds),
      };
    }
  }
  await sleep(LAST_CLICKS_MS);
  const counted = [
    (await clicksOf(instance, team, five)) - runs.five.visits,
    (await clicksOf(instance, team, thousand)) - runs.thousand.visits,
    -runs.hundred.visits,
  ];
  for (const id of hundred) counted[2] = (counted[2] ?? 0) + (await clicksOf(instance, team, id));
  for (const one of [bare, hono, instance]) await one.stop();
  const of = (name: keyof typeof runs): Measured => best[name] ?? { micros: 0, perSecond: 0 };
  const told = (name: keyof typeof runs) =>
    `${Math.round(of(name).micros)} µs, ${Math.round(of(name).perSecond)}/s`;
  const throughput = of("five").perSecond / of("hono").perSecond;
  return [
    note("bare 302", told("bare")),
    note("Hono's 302", told("hono")),
    note("hot redirect, 5 rules, click", told("five")),
    atMost("that CPU ÷ Hono's", of("five").micros / of("hono").micros, MAX_RATIO),
    {
      what: "its redirects a second ÷ Hono's",
      measured: throughput.toFixed(2),
      bar: `≥ ${MIN_THROUGHPUT}`,
      ok: throughput >= MIN_THROUGHPUT,
    },
    note(`one of ${LINKS} links, 5 rules, click`, told("hundred")),
    atMost("that CPU ÷ Hono's", of("hundred").micros / of("hono").micros, MAX_HUNDRED_RATIO),
    note("hot redirect with 1,000 rules", told("thousand")),
    atMost("that CPU ÷ with 5", of("thousand").micros / of("five").micros, MAX_RULES_RATIO),
    {
      what: `clicks counted of ${runs.five.visits + runs.thousand.visits + runs.hundred.visits}`,
      measured: counted.every((n) => n === 0) ? "all" : `off by ${counted.join(" and ")}`,
      bar: "all",
      ok: counted.every((n) => n === 0),
    },
  ];
}
