import * as z from "zod";
import { connectors } from "../platforms/registry.ts";
import { describeEnding, endingVersions, hasEnded } from "../platforms/sunsets.ts";
import { Problem } from "./program.ts";
import { formatTable } from "./table.ts";

interface Diagnosis {
  /** Shown always. */
  report: string;
  /** Problems to fix, one sentence each. */
  problems: string[];
}

/** Every platform API version in use, and which of them end soon or have ended. */
export function diagnoseVersions(now: Date): Diagnosis {
  const ending = endingVersions(now);
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

/** Lists the needs of platforms beside an app and its keys. */
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

/** Asks the deployed instance for its health. */
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

/**
 * Prints how things stand.
 *
 * @throws Problem naming every version that has ended, and an instance that is not well
 */
export async function runDoctor({ remote = false }: { remote?: boolean }): Promise<void> {
  const url = process.env.AKIMBO_URL;
  if (remote && !url) throw new Problem("--remote needs AKIMBO_URL: the address of the instance.");
  const diagnoses = [diagnoseVersions(new Date()), diagnoseNeeds()];
  if (remote && url) diagnoses.push(await diagnoseInstance(url));
  const reports = diagnoses.map(({ report }) => report).filter((report) => report !== "");
  console.log(reports.join("\n\n"));
  const problems = diagnoses.flatMap((one) => one.problems);
  if (problems.length > 0) throw new Problem(problems.join("\n"));
}
