import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { REQUIRED_PART_STEPS, REQUIRED_STEPS } from "./boundaries.ts";
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
import { countParts, isRefused, judgeParts, partsOf, split } from "./part-findings.ts";
import { FEW_UNDECIDED } from "./protocol.ts";
import { findProtocol } from "./protocols.ts";
import { addCounts, printCounts, type Verdicts } from "./verdicts.ts";
import {
  CONTROLS,
  type Control,
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

/** Minimum shares of acceptable posts that go out, and of parts that are sent. */
const PUBLISHED_PERCENT = 98;
const SENT_PARTS_PERCENT = 97;
/** Half of the worlds know only some of the boundaries, and chance is uneven. */
const SPARE = 4;
const PARALLEL = 2;
/** For a world of a few hundred posts on a busy machine. */
const WORLD_MS = 300_000;

/** Part A: everything that can break at a step, in moved time; and the controls. */
export async function playWorlds(proof: Proof): Promise<void> {
  const { form, seed } = proof;
  const count = form.worlds.reduce((sum, { count }) => sum + count, 0);
  const crashesPerBoundary = Math.ceil((form.crashesPerBoundary / count) * SPARE);
  const plans: WorldOptions[] = form.worlds.flatMap(({ subject, count, uploads }) =>
    Array.from({ length: count }, () => ({
      subject,
      uploads,
      crashesPerBoundary,
      hasParts: true,
      seed: 0,
    })),
  );
  for (const subject of CONTROLS) {
    const uploads = form.controlUploads;
    plans.push({ subject, uploads, crashesPerBoundary: 2, hasParts: true, seed: 0 });
  }
  for (const [i, plan] of plans.entries()) plan.seed = seed + i;
  const calm = { subject: "stepwise", uploads: form.calmUploads, crashesPerBoundary: 0 } as const;
  for (const hasPoison of [true, false]) plans.push({ ...calm, seed, isCalm: true, hasPoison });
  const played = await playAll(proof, plans);

  const main = played.filter(({ plan }) => !isControl(plan.subject) && !plan.isCalm);
  showMain(proof, main);
  showPoison(proof, played);
  console.log("\nControls, which must fail");
  for (const { plan, report } of played) {
    if (isControl(plan.subject)) showControl(proof, CONTROL_RULES[plan.subject], report.evidence);
  }
}

const isControl = (subject: Subject): subject is Control =>
  (CONTROLS as readonly string[]).includes(subject);

interface ControlRule {
  what: string;
  /** What has to go wrong, or the harness sees nothing. */
  breaks: readonly ("posts" | "parts" | "places")[];
}

const CONTROL_RULES: Record<Control, ControlRule> = {
  hasty: { what: "no wait before the look-up, short lease", breaks: ["posts", "parts"] },
  naive: { what: "look up, then post, no intent", breaks: ["posts", "parts"] },
  blind: { what: "a part without an answer is sent again without a look", breaks: ["parts"] },
  astray: { what: "each part answers the first post of its thread", breaks: ["places"] },
};

function showControl(
  { verdicts }: Proof,
  { what, breaks }: ControlRule,
  { arrivals, ...evidence }: Evidence,
): void {
  const [parts, posts] = split(arrivals);
  const places = judgeParts({ ...evidence, arrivals }).find(({ invariant }) => invariant === "P3");
  const wrong = {
    posts: duplicates(posts),
    parts: duplicates(parts),
    places: places?.violations.length ?? 0,
  };
  const label = `${what}: ${posts.length} posts made, ${wrong.posts} duplicated; ${parts.length} parts, ${wrong.parts} duplicated, ${wrong.places} out of place`;
  const isSeen = breaks.every((kind) => wrong[kind] > 0);
  verdicts.check(isSeen ? label : `${label}: the harness is broken`, isSeen);
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
      `    ${subject.padEnd(10)} ${uploads.length} uploads, ${completed} completed, ${left}, ${twice} duplicated${describeParts(worlds)}`,
    );
  }
  printCounts("crashes", crashes);
  printCounts("faults", faults);
  showAnswers(verdicts, faults, outcomesOf(played).twice);
  verdicts.judge([...judgements.values()]);

  const steps = [...REQUIRED_STEPS, ...REQUIRED_PART_STEPS];
  const boundaries = steps.flatMap((step) => [`${step} before`, `${step} after`]);
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

function describeParts(worlds: Played[]): string {
  const uploads = worlds.flatMap(({ report }) => report.evidence.uploads);
  const { all, out, unknown, refused, unsent } = countParts(partsOf(uploads));
  if (all === 0) return "";
  return `; of ${all} parts ${out} out, ${unknown} left to a person, ${refused} refused, ${unsent} after those not sent`;
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
  const ofParts = {
    lost: count("part submit: reply dropped", "part submit: 5xx after"),
    late: count("part submit: late acceptance"),
    failed: count("part look-up: reply dropped", "part look-up: 5xx before"),
  };
  verdicts.check(
    `F2-F4 ${lost} answers lost after the post was taken (${ofParts.lost} more of parts), ${late} posts taken late (${ofParts.late}), ${failed} look-ups failed (${ofParts.failed}): ${twice} made twice`,
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
  const shares = [...bySubject(played)].flatMap(([subject, worlds]) => {
    const all = outcomesOf(worlds).uploads.filter(isWanted);
    const { maxUndecided: max = FEW_UNDECIDED, maxUndecidedParts = max } =
      findProtocol(subject) ?? {};
    const parts = countParts(partsOf(all));
    return [
      { subject, share: all.filter(isUndecided).length / all.length, max },
      {
        subject: `parts on ${subject}`,
        share: parts.unknown / Math.max(1, parts.all - parts.unsent),
        max: maxUndecidedParts,
      },
    ];
  });
  showParts(verdicts, wanted);
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

function showParts(verdicts: Verdicts, wanted: readonly UploadState[]): void {
  const parts = partsOf(wanted);
  const { all, refused, unsent } = countParts(parts);
  const sent = all - unsent;
  const share = (100 * (sent - refused)) / Math.max(1, sent);
  verdicts.check(
    `${share.toFixed(1)} % of the ${sent} parts that were sent went out, or may have (at least ${SENT_PARTS_PERCENT} %)`,
    sent > 0 && share >= SENT_PARTS_PERCENT,
    parts
      .filter(isRefused)
      .map(
        ({ upload, part }) => `#${upload.id} ${part.text}: ${part.failureCode} (${part.message})`,
      ),
  );
}
