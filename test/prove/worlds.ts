import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { REQUIRED_STEPS } from "./boundaries.ts";
import {
  duplicates,
  type Evidence,
  isForbidden,
  isUndecided,
  type Judgement,
  judge,
  type UploadState,
} from "./findings.ts";
import type { Form } from "./forms.ts";
import { post, startInstance } from "./instance.ts";
import { FEW_UNDECIDED } from "./protocol.ts";
import { findProtocol } from "./protocols.ts";
import { addCounts, printCounts, type Verdicts } from "./verdicts.ts";
import {
  LATE_LISTING,
  type Subject,
  type WorldOptions,
  type WorldReport,
} from "./world-options.ts";

export interface Proof {
  script: string;
  folder: string;
  seed: number;
  form: Form;
  verdicts: Verdicts;
}

/** Minimum share of acceptable posts that go out. */
const PUBLISHED_PERCENT = 98;
/** Half of the worlds know only some of the boundaries, and chance is uneven. */
const SPARE = 2.5;
const PARALLEL = 2;
/** For a world of a few hundred posts on a busy machine. */
const WORLD_MS = 300_000;

/** Part A: everything that can break at a step, in moved time; and the controls. */
export async function playWorlds(proof: Proof): Promise<void> {
  const { form, seed } = proof;
  const count = form.worlds.reduce((sum, { count }) => sum + count, 0);
  const crashesPerBoundary = Math.ceil((form.crashesPerBoundary / count) * SPARE);
  const plans: WorldOptions[] = form.worlds.flatMap(({ subject, count, uploads }) =>
    Array.from({ length: count }, () => ({ subject, uploads, crashesPerBoundary, seed: 0 })),
  );
  for (const subject of ["hasty", "naive"] as const) {
    plans.push({ subject, uploads: form.controlUploads, crashesPerBoundary: 2, seed: 0 });
  }
  for (const [i, plan] of plans.entries()) plan.seed = seed + i;
  const calm = { subject: "stepwise", uploads: form.calmUploads, crashesPerBoundary: 0 } as const;
  for (const hasPoison of [true, false]) plans.push({ ...calm, seed, isCalm: true, hasPoison });
  const played = await playAll(proof, plans);

  const isControl = ({ subject }: WorldOptions) => subject === "hasty" || subject === "naive";
  const main = played.filter(({ plan }) => !isControl(plan) && !plan.isCalm);
  showMain(proof, main);
  showPoison(proof, played);
  console.log("\nControls, which must fail");
  for (const { plan, report } of played.filter(({ plan }) => isControl(plan))) {
    const twice = duplicates(report.evidence.arrivals);
    const posts = report.evidence.arrivals.length;
    const what = CONTROLS[plan.subject === "hasty" ? "hasty" : "naive"];
    const label = `${what}: ${posts} posts made, ${twice} duplicated`;
    proof.verdicts.check(twice > 0 ? label : `${label}: the harness is broken`, twice > 0);
  }
}

/** The delay that 95 of 100 posts keep within. */
export const p95 = ({ delays }: WorldReport): number =>
  delays[Math.floor(delays.length * 0.95)] ?? 0;
export const POISON_TOLERANCE = 0.1;

function showPoison({ verdicts }: Proof, played: Played[]): void {
  const [poisoned = 0, plain = 0] = played
    .filter(({ plan }) => plan.isCalm)
    .sort((a, b) => Number(b.plan.hasPoison) - Number(a.plan.hasPoison))
    .map(({ report }) => p95(report));
  const seconds = (ms: number) => (ms / 1_000).toFixed(2);
  verdicts.check(
    `one poisoned post in a hundred: the others' p95 is ${seconds(poisoned)} s, without it ${seconds(plain)} s`,
    plain > 0 && poisoned <= plain * (1 + POISON_TOLERANCE),
  );
}

const CONTROLS = {
  hasty: "no wait before the look-up, short lease",
  naive: "look up, then post, no intent",
};

export interface Played {
  plan: WorldOptions;
  report: WorldReport;
}

export async function playAll(proof: Proof, plans: WorldOptions[]): Promise<Played[]> {
  const waiting = [...plans];
  const played: Played[] = [];
  const lane = async () => {
    const stateDir = await mkdtemp(join(proof.folder, "world-"));
    const options = { script: proof.script, stateDir, clockOffset: 0, isNew: true };
    const instance = await startInstance(options);
    try {
      for (let plan = waiting.shift(); plan; plan = waiting.shift()) {
        const answer = await post(instance, "/prove/world", { body: plan, timeoutMs: WORLD_MS });
        played.push({ plan, report: answer as WorldReport });
      }
    } finally {
      await instance.kill();
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
  return played.sort((a, b) => a.plan.seed - b.plan.seed);
}

function showMain({ form, verdicts }: Proof, played: Played[]): void {
  const crashes: Record<string, number> = {};
  const faults: Record<string, number> = {};
  const judgements = new Map<string, Judgement>();
  for (const { plan, report } of played) {
    addCounts(crashes, report.crashes);
    addCounts(faults, report.faults);
    for (const judgement of judge(report.evidence)) {
      const known = judgements.get(judgement.invariant);
      const violations = judgement.violations.map((line) => `seed ${plan.seed}: ${line}`);
      judgements.set(judgement.invariant, {
        ...judgement,
        violations: [...(known?.violations ?? []), ...violations],
      });
    }
  }
  console.log(
    "\nMoved time: crashes at step boundaries, queue, clock, database and platform faults",
  );
  showEvidence(played.map(({ report }) => report.evidence));
  for (const [subject, worlds] of bySubject(played)) {
    const { uploads, twice } = outcomesOf(worlds);
    const completed = uploads.filter(({ status }) => status === "completed").length;
    const undecided = uploads.filter(isUndecided).length;
    const out = worlds.reduce((sum, { report }) => sum + countUndecidedOut(report.evidence), 0);
    const left = undecided > 0 ? `${undecided} undecided (${out} of them out)` : "0 undecided";
    console.log(
      `    ${subject.padEnd(10)} ${uploads.length} uploads, ${completed} completed, ${left}, ${twice} duplicated`,
    );
  }
  printCounts("crashes", crashes);
  printCounts("faults", faults);
  showAnswers(verdicts, faults, outcomesOf(played).twice);
  verdicts.judge([...judgements.values()]);

  const boundaries = REQUIRED_STEPS.flatMap((step) => [`${step} before`, `${step} after`]);
  const short = boundaries
    .filter((name) => (crashes[name] ?? 0) < form.crashesPerBoundary)
    .map((name) => `${name}: ${crashes[name] ?? 0}`);
  const label = `every boundary crashed ${form.crashesPerBoundary} times or more`;
  verdicts.check(
    `${label}: ${short.length} of ${boundaries.length} short`,
    short.length === 0,
    short,
  );
  showPublished(verdicts, played);
  for (const { plan, report } of played
    .filter(({ report }) => report.story.length > 0)
    .slice(0, 1)) {
    console.log(`\n  How world ${plan.seed} (${plan.subject}) came to a duplicate:`);
    for (const line of report.story) console.log(`    ${line}`);
  }
}

export function showEvidence(all: readonly Evidence[]): void {
  const uploads = all.flatMap((evidence) => evidence.uploads);
  const arrivals = all.reduce((sum, evidence) => sum + evidence.arrivals.length, 0);
  const twice = all.reduce((sum, evidence) => sum + duplicates(evidence.arrivals), 0);
  const events = all.flatMap((evidence) => evidence.events);
  const outcomes = events.filter(({ name }) => /^upload\.(completed|failed)$/.test(name)).length;
  console.log(
    `  ${uploads.length} uploads, ${arrivals} posts made, ${twice} duplicated, ${outcomes} outcome events`,
  );
  const states: Record<string, number> = {};
  for (const { status, failureCode } of uploads) {
    addCounts(states, { [failureCode ? `${status} as ${failureCode}` : status]: 1 });
  }
  printCounts("outcomes", states);
}

const bySubject = (played: Played[]): Map<Subject, Played[]> =>
  Map.groupBy(played, ({ plan }) => plan.subject);

function outcomesOf(played: Played[]): { uploads: UploadState[]; twice: number } {
  const all = played.map(({ report }) => report.evidence);
  const twice = all.reduce((sum, { arrivals }) => sum + duplicates(arrivals), 0);
  return { uploads: all.flatMap(({ uploads }) => uploads), twice };
}

function countUndecidedOut({ uploads, arrivals }: Evidence): number {
  const arrived = new Set(arrivals.map(({ text }) => text));
  return uploads.filter((upload) => isUndecided(upload) && arrived.has(upload.text)).length;
}

/** Checks that lost and late answers, and failed look-ups, led to no second post. */
function showAnswers(verdicts: Verdicts, faults: Record<string, number>, twice: number): void {
  const count = (...names: string[]) => names.reduce((sum, name) => sum + (faults[name] ?? 0), 0);
  const lost = count("submit: reply dropped", "submit: 5xx after");
  const late = count("submit: late acceptance");
  const failed = count("look-up: reply dropped", "look-up: 5xx before", LATE_LISTING);
  verdicts.check(
    `F2-F4 ${lost} answers lost after the post was taken, ${late} posts taken late, ${failed} look-ups failed: ${twice} posts made twice`,
    twice === 0,
  );
}

export const isWanted = ({ text }: UploadState): boolean =>
  !isForbidden(text) && !/poison|crowded/.test(text);

function showPublished(verdicts: Verdicts, played: Played[]): void {
  const wanted = outcomesOf(played).uploads.filter(isWanted);
  const stuck = wanted.filter((upload) => upload.status !== "completed" && !isUndecided(upload));
  const share = (100 * (wanted.length - stuck.length)) / wanted.length;
  verdicts.check(
    `${share.toFixed(1)} % of the posts with nothing against them went out, or may have (at least ${PUBLISHED_PERCENT} %)`,
    share >= PUBLISHED_PERCENT,
    stuck.map(
      ({ id, text, status, failureCode, message }) =>
        `#${id} ${text}: ${status} ${failureCode} (${message})`,
    ),
  );
  const shares = [...bySubject(played)].map(([subject, worlds]) => {
    const all = outcomesOf(worlds).uploads.filter(isWanted);
    const max = findProtocol(subject)?.maxUndecided ?? FEW_UNDECIDED;
    return { subject, share: all.filter(isUndecided).length / all.length, max };
  });
  const percent = (part: number) => `${(100 * part).toFixed(1)} %`;
  const left = shares.filter(({ share }) => share > 0);
  const list = left.map(({ subject, share }) => `${subject} ${percent(share)}`).join(", ");
  verdicts.check(
    `left to a person, because the platform cannot be asked: ${list || "none"}`,
    shares.every(({ share, max }) => share <= max),
    shares
      .filter(({ share, max }) => share > max)
      .map(({ subject, share, max }) => `${subject}: ${percent(share)}, at most ${percent(max)}`),
  );
}
