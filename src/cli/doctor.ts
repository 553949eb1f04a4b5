import { readFile } from "node:fs/promises";
import * as z from "zod";
import { createEncryptionKeys, createSigningKey } from "../core/instance-keys.ts";
import { isPlatform } from "../core/platforms.ts";
import type { Tick } from "../features/setup/rules.ts";
import { connectors } from "../platforms/registry.ts";
import { describeEnding, endingVersions, hasEnded } from "../platforms/sunsets.ts";
import { createCloud } from "./cloud.ts";
import { execute, type Place } from "./d1.ts";
import { requireDeployConfig } from "./deploy-config.ts";
import { readDevVars } from "./dev-vars.ts";
import { type AppSettings, type Diagnosis, diagnoseApps } from "./doctor-apps.ts";
import { inProject, readStateDir } from "./paths.ts";
import { Problem } from "./program.ts";
import { readPort } from "./server.ts";
import { sql } from "./sql.ts";
import { formatTable } from "./table.ts";
import { checkVars, readTomlVars } from "./vars.ts";

export function diagnoseVersions(now: Date, ending = endingVersions(now)): Diagnosis {
  const sentences = ending.map(describeEnding);
  return {
    report: [formatVersions(), "", ...warn(sentences)].join("\n"),
    problems: ending.filter(hasEnded).map(describeEnding),
  };
}

const warn = (sentences: string[]): string[] =>
  sentences.length > 0
    ? sentences.map((sentence) => `Warning: ${sentence}`)
    : ["No version is about to end."];

const formatVersions = (): string =>
  formatTable(
    ["Platform", "Version", "Header", "Sunset"],
    connectors().map(({ platform, apiVersion: { version, header, sunset } }) => [
      platform,
      version,
      header ?? "none",
      sunset ?? "none announced",
    ]),
  );

export const diagnoseNeeds = (): Diagnosis => ({
  report: connectors()
    .flatMap(({ platform, capabilities: { mediaSupport } }) =>
      mediaSupport.note ? [`${platform}: ${mediaSupport.note}`] : [],
    )
    .join("\n"),
  problems: [],
});

const health = z.object({
  status: z.string(),
  error: z.string().optional(),
  warnings: z.array(z.string()).default([]),
});

const TIMEOUT_MS = 10_000;

export async function diagnoseInstance(url: string, network = fetch): Promise<Diagnosis> {
  const address = `${url.replace(/\/+$/, "")}/health`;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await network(address, { signal }).catch(() => null);
  if (!response) return { report: "", problems: [`Nothing answers at ${address}.`] };
  const { data } = health.safeParse(await response.json().catch(() => null));
  if (!data) {
    const problem = `${address} answers HTTP ${response.status}, but not as Akimbo does. Is AKIMBO_URL right?`;
    return { report: "", problems: [problem] };
  }
  const { status, error, warnings } = data;
  const heading = `${address} is ${status}.`;
  return {
    report: [heading, ...(warnings.length > 0 ? warn(warnings) : [])].join("\n"),
    problems: response.ok ? [] : [error ? `${heading} ${error}` : heading],
  };
}

/** Of agents that call from the servers of their makers. Zone rules against bots know them by this name. */
const AGENTS = ["Claude-User", "ChatGPT-User"];

/** Finds rules of the zone that refuse agents before the Worker sees them. */
export async function diagnoseAgents(url: string, network = fetch): Promise<Diagnosis> {
  const address = `${new URL(url).origin}/mcp`;
  const problems: string[] = [];
  for (const agent of AGENTS) {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const headers = { "user-agent": agent, "content-type": "application/json" };
    const call = { method: "POST", body: "{}", headers, signal };
    const answer = await network(address, call).catch(() => null);
    if (answer === null || answer.headers.has("www-authenticate")) continue;
    problems.push(
      `${address} answers ${agent} with HTTP ${answer.status} instead of the way to sign in. A rule of the zone may stop it: allow it in Cloudflare, under AI Crawl Control and Security.`,
    );
  }
  return { report: "", problems };
}

/** @throws Problem when PORT is not a port, or for settings with which the local server does not start */
export async function readLocalApps(
  path = inProject(".dev.vars"),
  env: NodeJS.ProcessEnv = process.env,
): Promise<AppSettings> {
  const toml = readTomlVars(await readFile(inProject("wrangler.toml"), "utf8"));
  const all = { ...toml, ...(await readDevVars(path).catch(() => ({}))) };
  const values = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
  // The start makes the keys that are missing.
  const keys = { ENCRYPTION_KEYS: createEncryptionKeys(), SIGNING_KEY: createSigningKey() };
  checkVars({ ...keys, ...values });
  const origin = values.PUBLIC_URL ?? `http://localhost:${readPort(env)}`;
  return { names: Object.keys(values), values, origin };
}

const WORKER = /^name\s*=\s*"([^"]+)"/m;

async function readDeployedApps(url: string): Promise<AppSettings> {
  const toml = await readFile(inProject("wrangler.toml"), "utf8");
  const secrets = await createCloud(inProject(".akimbo"))
    .listSecrets(WORKER.exec(toml)?.[1] ?? "akimbo")
    .catch(() => null);
  const names = secrets && [...secrets, ...Object.keys(readTomlVars(toml))];
  return { names, values: {}, origin: new URL(url).origin };
}

async function placeOf(remote: boolean): Promise<Place> {
  const stateDir = readStateDir();
  if (!remote) return { kind: "local", stateDir };
  return { kind: "remote", config: await requireDeployConfig(stateDir) };
}

/** Nothing is ticked in a database that does not exist yet or cannot be read. */
async function readTicks(remote: boolean): Promise<Tick[]> {
  try {
    const statement = sql`SELECT platform, step, source FROM setup_ticks`;
    const [rows = []] = await execute(await placeOf(remote), [statement]);
    return rows.flatMap(({ platform, step, source }) => {
      if (typeof platform !== "string" || !isPlatform(platform)) return [];
      return [{ platform, step: String(step), source: source === "platform" ? source : "owner" }];
    });
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

/** @throws Problem for wrong settings, ended API versions, refused apps and an unhealthy instance */
export async function runDoctor({ remote = false }: { remote?: boolean }): Promise<void> {
  const url = process.env.AKIMBO_URL;
  if (remote && !url) throw new Problem("--remote needs AKIMBO_URL: the address of the instance.");
  const apps = remote && url ? await readDeployedApps(url) : await readLocalApps();
  const diagnoses = [diagnoseVersions(new Date()), diagnoseNeeds()];
  if (remote && url) diagnoses.push(await diagnoseInstance(url), await diagnoseAgents(url));
  console.error(
    "Asking the platforms about the apps whose keys are set. This can take 20 seconds.",
  );
  diagnoses.push(await diagnoseApps({ ...apps, ticks: await readTicks(remote) }));
  const reports = diagnoses.map(({ report }) => report).filter((report) => report !== "");
  console.log(reports.join("\n\n"));
  const problems = diagnoses.flatMap((one) => one.problems);
  if (problems.length > 0) throw new Problem(problems.join("\n"));
}
