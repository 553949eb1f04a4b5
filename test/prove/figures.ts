import { BACKOFF_SECONDS } from "../../src/core/failures.ts";
import { duplicates, isUndecided, type UploadState } from "./findings.ts";
import type { Figures } from "./forms.ts";
import { isUnknown } from "./part-findings.ts";
import { RETRY_AFTER_SECONDS, type ScenarioName } from "./scenarios.ts";
import { addCounts, printCounts } from "./verdicts.ts";
import type { JobCall, Subject, WorldOptions } from "./world-options.ts";
import { isWanted, type Played, POISON_TOLERANCE, type Proof, p95, playAll } from "./worlds.ts";

/** Calls that cannot be undone, of one post at most: the first and three more. */
const MAX_SUBMITS = 4;
/** Between two looks at what became of a post. */
const LOOK_SECONDS = 30;
const CALLS_PER_SLOT = 1.2;
/** Milliseconds between the intent, from which waits are counted, and its call's arrival at the platform. */
const UNDERWAY_MS = 5_000;

/** Kinds of trouble that meet each part by itself, as they meet a post. */
const WITH_PARTS: readonly ScenarioName[] = ["lost replies", "late acceptance", "no look-ups"];

/** Part B: each kind of trouble by itself, in moved time, and the figure that it has to keep to. */
export async function playFigures(proof: Proof): Promise<void> {
  const plans = plansOf(proof.form.figures);
  for (const [i, plan] of plans.entries()) plan.seed = proof.seed + i;
  const played = await playAll(proof, plans);
  console.log("\nMoved time: one kind of trouble at a time");
  const all = new Figure(proof, played);
  for (const show of [
    showLostReplies,
    showLateAcceptances,
    showNoLookUps,
    showShuffledQueue,
    showHanging,
    showStorm,
    showBadDatabase,
    showCeiling,
    showLeaks,
  ]) {
    show(all);
  }
}

function plansOf(form: Figures): WorldOptions[] {
  const plan = (scenario: ScenarioName, subject: Subject, uploads: number): WorldOptions => ({
    ...{ scenario, subject, uploads, seed: 0 },
    ...{ crashesPerBoundary: 0, isCalm: true, hasPoison: scenario === "hanging" },
    hasParts: WITH_PARTS.includes(scenario),
  });
  const ofAll = (scenario: ScenarioName, uploads: number, subjects = form.subjects) =>
    subjects.map((subject) => plan(scenario, subject, uploads));
  const { shuffled, hangingUploads, storm, badDatabase } = form;
  return [
    ...ofAll("lost replies", form.lostReplies.uploads),
    ...ofAll("late acceptance", form.lateAcceptances.uploads),
    ...ofAll("no look-ups", form.noLookUps.uploads),
    ...ofAll("platform down", form.downUploads),
    ...ofAll("storm", storm.uploads, storm.subjects),
    ...ofAll("bad database", badDatabase.uploads, badDatabase.subjects),
    ...Array.from({ length: shuffled.worlds }, () =>
      plan("shuffled queue", "stepwise", shuffled.uploads),
    ),
    plan("hanging", "stepwise", hangingUploads),
    plan("calm", "stepwise", hangingUploads),
  ];
}

/** The worlds of a scenario taken together. */
interface ScenarioResult {
  worlds: Played[];
  uploads: UploadState[];
  faults: Record<string, number>;
  twice: number;
  posts: number;
}

/** The calls that one post, or one part, caused; `upload` has the outcome of that part. */
interface PostCalls {
  name: string;
  upload: Pick<UploadState, "status" | "failureCode">;
  calls: JobCall[];
}

class Figure {
  readonly proof: Proof;
  private readonly played: Played[];

  constructor(proof: Proof, played: Played[]) {
    this.proof = proof;
    this.played = played;
  }

  of(scenario: ScenarioName | null): ScenarioResult {
    const worlds = this.played.filter(({ plan }) => !scenario || plan.scenario === scenario);
    const faults: Record<string, number> = {};
    for (const { report } of worlds) addCounts(faults, report.faults);
    return {
      worlds,
      faults,
      uploads: worlds.flatMap(({ report }) => report.evidence.uploads),
      twice: worlds.reduce((sum, { report }) => sum + duplicates(report.evidence.arrivals), 0),
      posts: worlds.reduce((sum, { report }) => sum + report.evidence.arrivals.length, 0),
    };
  }

  check(what: string, isGood: boolean, details: readonly string[] = []): void {
    this.proof.verdicts.check(what, isGood, details);
  }
}

const show = ({ plan }: Played, { id, text, status, failureCode, message }: UploadState): string =>
  `seed ${plan.seed} (${plan.subject}): #${id} ${text}: ${status} ${failureCode} (${message})`;

function callsByPost({ worlds }: ScenarioResult): PostCalls[] {
  return worlds.flatMap(({ plan, report }) => {
    const byId = new Map(report.evidence.uploads.map((upload) => [`#${upload.id}`, upload]));
    const nameOf = ({ upload, part }: JobCall) => (part === 0 ? upload : `${upload} part ${part}`);
    return [...Map.groupBy(report.calls, nameOf)].flatMap(([name, calls]) => {
      const [{ upload: id = "", part = 0 } = {}] = calls;
      const post = byId.get(id);
      const upload = part === 0 ? post : post && outcomeOf(post, part);
      return upload ? [{ name: `seed ${plan.seed} (${plan.subject}) ${name}`, upload, calls }] : [];
    });
  });
}

/** A post that was found without its id leaves the next part to a person, as a post that cannot be found does. */
function outcomeOf(upload: UploadState, position: number): PostCalls["upload"] | undefined {
  const part = upload.parts[position - 1];
  if (!part || !isUnknown({ upload, part })) return part;
  return { status: part.status, failureCode: "platform_processing_timeout" };
}

const submitsOf = ({ calls }: PostCalls): JobCall[] =>
  calls.filter(({ kind }) => kind === "submit");

const showCalls = ({ name, upload, calls }: PostCalls): string =>
  `${name} ${upload.status}: ${calls.map(({ kind, at, fault }) => `${kind} ${at} ${fault}`).join(", ")}`;

/** Posts whose first submit met `fault`, by what became of them. */
function met(outcome: ScenarioResult, fault: string) {
  const posts = callsByPost(outcome).filter((post) => submitsOf(post)[0]?.fault === fault);
  const completed = posts.filter(({ upload }) => upload.status === "completed");
  const undecided = posts.filter(({ upload }) => isUndecided(upload));
  return {
    posts,
    completed,
    undecided,
    again: posts.filter((post) => submitsOf(post).length > 1),
    other: posts.filter((post) => !completed.includes(post) && !undecided.includes(post)),
  };
}

function showLostReplies(figure: Figure): void {
  const outcome = figure.of("lost replies");
  const { posts, completed, undecided, again, other } = met(outcome, "reply dropped");
  const { least } = figure.proof.form.figures.lostReplies;
  const left = `${undecided.length} cannot be asked for and were left to a person`;
  figure.check(
    `F2   ${posts.length} answers lost: ${completed.length} posts found (at least ${least}), ${left}, ${again.length} sent again, ${outcome.twice} made twice`,
    completed.length >= least && again.length + other.length + outcome.twice === 0,
    [...again, ...other].map(showCalls),
  );
}

function showLateAcceptances(figure: Figure): void {
  const outcome = figure.of("late acceptance");
  const { posts, again, other, undecided } = met(outcome, "late acceptance");
  const { least } = figure.proof.form.figures.lateAcceptances;
  figure.check(
    `F3   ${posts.length} posts taken at the last moment (at least ${least}): ${again.length} sent again, ${undecided.length} left to a person, ${outcome.twice} made twice`,
    posts.length >= least && again.length + other.length + outcome.twice === 0,
    [...again, ...other].map(showCalls),
  );
}

function showNoLookUps(figure: Figure): void {
  const outcome = figure.of("no look-ups");
  const { posts, completed, undecided, again, other } = met(outcome, "reply dropped");
  const { least } = figure.proof.form.figures.noLookUps;
  const failed = outcome.faults["look-up: 5xx before"] ?? 0;
  figure.check(
    `F4   ${posts.length} lost answers (at least ${least}) that cannot be looked up for ten minutes or for ever, ${failed} look-ups refused: ${completed.length} found later, ${undecided.length} left to a person, ${again.length} sent blindly, ${outcome.twice} made twice`,
    posts.length >= least && again.length + other.length + outcome.twice === 0 && failed > 0,
    [...again, ...other].map(showCalls),
  );
}

/** Lists the acceptable posts that did not go out and are not left to a person. */
const lostOf = ({ worlds }: ScenarioResult): string[] =>
  worlds.flatMap((world) =>
    world.report.evidence.uploads
      .filter(isWanted)
      .filter((upload) => upload.status !== "completed" && !isUndecided(upload))
      .map((upload) => show(world, upload)),
  );

function showShuffledQueue(figure: Figure): void {
  const outcome = figure.of("shuffled queue");
  const { leastMessages } = figure.proof.form.figures.shuffled;
  const lost = lostOf(outcome);
  const missing = outcome.faults["message lost"] ?? 0;
  const messages = 2 * (outcome.faults["message doubled"] ?? 0) + missing;
  figure.check(
    `F5   ${messages} messages (at least ${leastMessages}), each twice and in no order, ${missing} lost: ${lost.length} of ${outcome.uploads.filter(isWanted).length} posts lost, ${outcome.twice} made twice`,
    messages >= leastMessages && lost.length + outcome.twice === 0,
    lost,
  );
}

function showHanging(figure: Figure): void {
  const [hanging, calm] = [figure.of("hanging"), figure.of("calm")];
  const [slow = 0, usual = 0] = [hanging, calm].map(({ worlds: [world] }) =>
    world ? p95(world.report) : 0,
  );
  const stuck = hanging.uploads.filter(({ text }) => text.includes("poison"));
  const open = stuck.filter(({ status }) => status !== "failed");
  const lost = lostOf(hanging);
  const seconds = (ms: number) => (ms / 1_000).toFixed(2);
  const max = usual * (1 + POISON_TOLERANCE);
  figure.check(
    `F13  ${stuck.length} of ${hanging.uploads.length} posts to a platform that never answers, ${hanging.faults["step: hang"] ?? 0} calls hung: ${stuck.length - open.length} ended as failed; the others' p95 is ${seconds(slow)} s, without them ${seconds(usual)} s`,
    stuck.length > 0 && open.length + lost.length === 0 && usual > 0 && slow <= max,
    [...open.map(({ id, status }) => `#${id} is ${status}`), ...lost],
  );
}

/** Calls that came sooner than the failed call before them allows. */
function early({ calls }: PostCalls): JobCall[] {
  const failures = new Map<string, { count: number; until: number }>();
  const found: JobCall[] = [];
  for (const call of calls) {
    const { kind, at, fault } = call;
    const known = failures.get(kind);
    if (known && at < known.until) found.push(call);
    if (fault === "none") {
      failures.delete(kind);
      continue;
    }
    const count = known?.count ?? 0;
    const isRepeated = kind === "step" || kind === "submit";
    const wait = isRepeated ? (BACKOFF_SECONDS[count] ?? 0) : LOOK_SECONDS;
    const asked = fault === "rate limited" ? RETRY_AFTER_SECONDS : 0;
    const seconds = kind === "look-up" || kind === "status" ? wait : Math.max(wait, asked);
    failures.set(kind, { count: count + 1, until: at - UNDERWAY_MS + seconds * 1_000 });
  }
  return found;
}

function showStorm(figure: Figure): void {
  const outcome = figure.of("storm");
  const posts = callsByPost(outcome).filter(({ calls }) =>
    calls.some(({ fault }) => fault !== "none"),
  );
  const calls = posts.reduce((sum, post) => sum + post.calls.length, 0);
  const tooEarly = posts.flatMap((post) => early(post).map(({ kind }) => ({ post, kind })));
  const extra = tooEarly.length;
  const kinds = [...new Set(tooEarly.map(({ kind }) => kind))].join(", ") || "none";
  const perSlot = calls / Math.max(1, calls - extra);
  const limited = Object.entries(outcome.faults)
    .filter(([name]) => name.endsWith("rate limited"))
    .reduce((sum, [, count]) => sum + count, 0);
  const lost = lostOf(outcome);
  figure.check(
    `F14  ten minutes of 503 and 429, ${posts.length} posts, ${limited} answers with Retry-After: ${perSlot.toFixed(2)} calls per allowed slot (at most ${CALLS_PER_SLOT}), ${extra} of ${calls} too early (${kinds}), ${lost.length} posts lost, ${outcome.twice} made twice`,
    posts.length > 0 &&
      limited > 0 &&
      perSlot <= CALLS_PER_SLOT &&
      lost.length + outcome.twice === 0,
    [...tooEarly.map(({ post }) => showCalls(post)), ...lost],
  );
}

function showBadDatabase(figure: Figure): void {
  const outcome = figure.of("bad database");
  const { leastFaults } = figure.proof.form.figures.badDatabase;
  const count = (name: string) => outcome.faults[name] ?? 0;
  const faults = count("database connection lost before") + count("database connection lost after");
  const lost = lostOf(outcome);
  const open = outcome.uploads.filter(({ dueAt }) => dueAt !== null).length;
  figure.check(
    `F15  ${faults} writes whose connection was lost (at least ${leastFaults}), an outage of 18 minutes with ${count("database away")} refusals: ${lost.length} of ${outcome.uploads.filter(isWanted).length} posts failed, ${open} unfinished, ${outcome.twice} made twice`,
    faults >= leastFaults && lost.length + open + outcome.twice === 0 && count("database away") > 0,
    lost,
  );
}

function showCeiling(figure: Figure): void {
  const outcome = figure.of("platform down");
  const posts = callsByPost(outcome).filter((post) => submitsOf(post).length > 0);
  const max = Math.max(...posts.map((post) => submitsOf(post).length));
  const over = posts.filter((post) => submitsOf(post).length > MAX_SUBMITS);
  const hasty = posts.filter((post) => early(post).some(({ kind }) => kind === "submit"));
  const subjects = new Set(outcome.worlds.map(({ plan }) => plan.subject)).size;
  figure.check(
    `     ${posts.length} posts to ${subjects} platforms that are down: the call that cannot be undone was made ${max} times at most (${MAX_SUBMITS}), ${hasty.length} times too early`,
    posts.length > 0 && over.length + hasty.length === 0,
    [...over, ...hasty].map(showCalls),
  );
  printCounts("outcomes", statesOf(outcome));
}

function statesOf({ uploads }: ScenarioResult): Record<string, number> {
  const states: Record<string, number> = {};
  for (const upload of uploads) {
    const { status, failureCode } = upload;
    if (!isWanted(upload)) continue;
    addCounts(states, { [failureCode ? `${status} as ${failureCode}` : status]: 1 });
  }
  return states;
}

function showLeaks(figure: Figure): void {
  const { worlds } = figure.of(null);
  const leaks = worlds.flatMap(({ plan, report }) =>
    report.leaks.map((leak) => `seed ${plan.seed} (${plan.subject}, ${plan.scenario}): ${leak}`),
  );
  figure.check(
    `I4   places and credits that failed posts still hold, and drift of the ledger, in ${worlds.length} worlds: ${leaks.length}`,
    leaks.length === 0,
    leaks,
  );
}
