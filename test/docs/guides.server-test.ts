import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { readGuides } from "../../src/cli/guides.ts";
import { README } from "../../src/cli/platform-facts.ts";
import { examplePlatforms, fillExamples } from "../../src/core/guides.ts";
import { PLATFORMS } from "../../src/core/platforms.ts";
import { type LocalService, newStateDir, startLocalService } from "../cli/local-service.ts";
import { differencesOf, Memory, readAnswer, splitDocuments } from "./answers.ts";
import { type Example, readExamples } from "./blocks.ts";
import { Shell } from "./shell.ts";
import { connectAccounts, insertTeams, prepareFolder } from "./teams.ts";

/** The clock of the instance: dates in the examples are a few weeks ahead of it. */
const NOW = new Date("2026-12-01T09:00:00.000Z");

const pages = [...(await readGuides()), ["README", await readFile(README, "utf8")] as const];
const withExamples = pages.filter(([, text]) => readExamples(text).length > 0);

let service: LocalService;
let tokens: Map<string, string>;

before(async () => {
  const stateDir = await newStateDir();
  tokens = await insertTeams(
    stateDir,
    withExamples.map(([name]) => name),
    NOW,
  );
  const offset = Math.round((NOW.getTime() - Date.now()) / 1_000);
  const vars = { CLOCK_OFFSET: String(offset), RATE_LIMITS: "off" };
  service = await startLocalService(vars, stateDir);
});

after(() => service.stop());

/** The commands of a block that call the API, each with its continued lines. */
const callsOf = (script: string): string[] =>
  script
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line.includes("/api/v1/"));

async function runExample(shell: Shell, memory: Memory, example: Example): Promise<void> {
  const script = memory.recall(example.script);
  const { text, errors, isDone } = await shell.run(script);
  const shown = `\n${script}\n\nprinted\n\n${text}\n${errors}`;
  assert.ok(isDone, `A command failed:${shown}`);
  if (example.answer === null) {
    assert.doesNotMatch(text, /^\{"success":false/m, `A call was refused:${shown}`);
    return;
  }
  const expected = readAnswer(example.answer);
  const actual = splitDocuments(text);
  assert.equal(actual.length, expected.length, `This many answers are documented:${shown}`);
  const calls = callsOf(script);
  expected.forEach((answer, i) => {
    const real = actual[i] ?? null;
    assert.deepEqual(
      differencesOf(answer, real),
      [],
      `The answer is documented otherwise:${shown}`,
    );
    memory.learn(answer, real, calls[Math.min(i, calls.length - 1)] ?? "");
  });
}

async function runGuide(t: TestContext, name: string, guide: string): Promise<void> {
  const token = tokens.get(name) ?? "";
  const named = [...examplePlatforms(guide), ...(guide.includes("$ACCOUNT") ? ["bluesky"] : [])];
  const platforms = PLATFORMS.filter((platform) => named.includes(platform));
  const accounts = await connectAccounts(service.origin, token, platforms);
  const folder = await mkdtemp(join(tmpdir(), "akimbo-guide-"));
  const shell = new Shell(folder, {
    PATH: await prepareFolder(folder),
    HOME: folder,
    TOKEN: token,
    ACCOUNT: accounts.get("bluesky") ?? "",
    AKIMBO_URL: service.origin,
    AKIMBO_TOKEN: token,
  });
  const memory = new Memory();
  try {
    for (const example of readExamples(fillExamples(guide, service.origin, accounts))) {
      await t.test(example.heading, () => runExample(shell, memory, example));
    }
  } finally {
    await shell.close();
    await rm(folder, { recursive: true });
  }
}

// Much of their time, posts wait for the simulated platforms.
describe("guides", { concurrency: 4 }, () => {
  for (const [name, guide] of withExamples) {
    test(`the examples of ${name} do what the guide says`, (t) => runGuide(t, name, guide));
  }
});
