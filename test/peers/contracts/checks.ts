import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { inProject } from "../../../src/cli/paths.ts";
import { Problem } from "../../../src/cli/program.ts";
import type { Check } from "../posting.ts";
import type { Contract } from "./contract.ts";
import { loadLexicons } from "./lexicons.ts";
import { byOpenApi } from "./openapi.ts";
import { type RecordedCall, readLines } from "./recording.ts";
import { WRONG_CALLS } from "./wrong-calls.ts";
import { loadXContract } from "./x.ts";
import { loadYouTubeContract } from "./youtube.ts";

type Judged = keyof typeof WRONG_CALLS;

/** Where Pinterest's own description lies: `v5/openapi.json` of github.com/pinterest/api-description. */
const PINTEREST_OPENAPI = "PINTEREST_OPENAPI";

const CONTRACTS: Record<Judged, () => Promise<Contract>> = {
  x: loadXContract,
  youtube: loadYouTubeContract,
  bluesky: loadLexicons,
  pinterest: async () => {
    const path = process.env[PINTEREST_OPENAPI] ?? "";
    return byOpenApi(JSON.parse(await readFile(path, "utf8")));
  },
};

/** Calls that no contract is about: our own fetch of a file, the directory of DIDs, and a storage's form. */
const OTHER_ORIGINS = [
  "https://subtitles.sandbox.test",
  "https://plc.directory",
  "https://pinterest-media-upload.s3-accelerate.amazonaws.com",
];

/** Checks the connectors' calls against the vendors' published contracts. */
export function createContractChecks(): Check[] {
  const platforms = (Object.keys(CONTRACTS) as Judged[]).filter(
    (platform) => platform !== "pinterest" || process.env[PINTEREST_OPENAPI],
  );
  if (!platforms.includes("pinterest")) {
    console.log(
      `No npm package describes Pinterest's API; ${PINTEREST_OPENAPI} may name its file.\n`,
    );
  }
  let recording: Promise<RecordedCall[]> | undefined;
  const callsOf = async (platform: Judged) => {
    recording ??= record();
    const calls = (await recording).filter((call) => call.platform === platform);
    return calls.filter(({ url }) => !OTHER_ORIGINS.includes(new URL(url).origin));
  };
  return platforms.flatMap((platform): Check[] => [
    {
      name: `sends ${platform} nothing that its contract does not know`,
      run: async () => {
        const calls = await callsOf(platform);
        assert.ok(calls.length > 0, "No call was recorded.");
        const problems = await (await CONTRACTS[platform]()).judge(calls);
        const told = problems.flatMap((problem, index) =>
          problem === null ? [] : [`${describe(calls[index])}\n  ${problem}`],
        );
        assert.equal(told.length, 0, [...new Set(told)].join("\n"));
        const kinds = new Set(calls.map(({ kind }) => kind));
        console.log(`      ${calls.length} calls of ${kinds.size} kinds of work`);
      },
    },
    {
      name: `would notice what the contract of ${platform} does not know`,
      run: async () => {
        const calls = await callsOf(platform);
        const wrong = WRONG_CALLS[platform].map(([what, isMadeOf, change]) => {
          const call = calls.find(isMadeOf);
          assert.ok(call, `There is no call to make one of with ${what}.`);
          return change(call);
        });
        const problems = await (await CONTRACTS[platform]()).judge(wrong);
        const passed = WRONG_CALLS[platform].filter((_, index) => problems[index] === null);
        assert.deepEqual(
          passed.map(([what]) => what),
          [],
        );
      },
    },
  ]);
}

const describe = (call: RecordedCall | undefined): string =>
  call ? `${call.kind}: ${call.method} ${call.url}` : "";

/** Does every kind of work in the Workers runtime of the tests; the calls that were made. */
async function record(): Promise<RecordedCall[]> {
  await run([inProject("src/cli/assets.ts")]);
  const config = inProject("test/peers/contracts/vitest.config.ts");
  const vitest = inProject("node_modules/vitest/vitest.mjs");
  return readLines(await run([vitest, "run", "--no-color", "--config", config]));
}

/** Runs a program of Node's to its end; its output. */
async function run(program: string[]): Promise<string> {
  const child = spawn(process.execPath, program, {
    cwd: inProject("."),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const [code] = await once(child, "close");
  if (code === 0) return output;
  const told = output.split("\n").filter((line) => !line.includes("recorded call: "));
  throw new Problem(`The calls could not be recorded.\n${told.slice(-60).join("\n")}`);
}
