import { addSeconds, secondsBetween } from "../../core/time.ts";
import type { Bookmark, PublishJob, Stopped } from "../../platforms/connector.ts";
import type { Credentials } from "../../platforms/login.ts";
import { removalOf } from "../../platforms/rehearsal.ts";
import { appKeysOf, createCall, NoCredentials, targetOfJob } from "../logins/platform-access.ts";
import { usableLogin } from "../logins/usable-login.ts";
import { readBack, remove } from "./afterwards.ts";
import { createJob } from "./job.ts";
import { ASKED_FOR_SECONDS, isSeenByOthers, type Outcome, type Stage, seenBy } from "./rules.ts";
import { storeSample } from "./sample.ts";
import {
  answerOf,
  type Expired,
  end,
  LOOK_AGAIN_SECONDS,
  messageOf,
  type Stand,
  type Thrown,
  type Turn,
  turn,
} from "./stand.ts";
import type { RehearsalRow } from "./table.ts";

const ASK_AGAIN_SECONDS = 30;

type LogIn =
  | { kind: "ready"; credentials: Credentials }
  | { kind: "lost"; why: string }
  | { kind: "busy"; why: string };

async function logIn(stand: Stand, staleToken: string | null): Promise<LogIn> {
  const { deps, connector, account, record } = stand;
  if (account.mode === "live") record.hideApp(appKeysOf(deps, account));
  try {
    const login = await usableLogin(deps, connector, account, staleToken);
    if (login.kind === "busy") return { kind: "busy", why: "The login is being renewed." };
    if (login.kind === "refused") return { kind: "lost", why: login.message };
    record.hideLogin(login.credentials);
    return login;
  } catch (error) {
    if (error instanceof NoCredentials) return { kind: "lost", why: error.message };
    throw error;
  }
}

const isBefore = ({ stage }: RehearsalRow): boolean =>
  stage === "planning" || stage === "asking" || stage === "preparing";

function withoutLogin({ row }: Stand, why: string): Turn {
  if (isBefore(row)) return end("nothing", why);
  return { ...turn({ message: why }, why), isStopped: true };
}

/** Requires a login that the platform accepts. */
export async function takeStep(stand: Stand): Promise<Turn> {
  let staleToken: string | null = null;
  for (let tries = 0; tries < 2; tries++) {
    const login = await logIn(stand, staleToken);
    if (login.kind === "busy") return turn({}, login.why, LOOK_AGAIN_SECONDS);
    if (login.kind === "lost") return withoutLogin(stand, login.why);
    const taken = await act(stand, login.credentials);
    if (taken !== "token_expired") return untilGivenUp(stand, taken);
    staleToken = login.credentials.accessToken;
  }
  return withoutLogin(stand, `${stand.connector.name} refuses the account's login. Reconnect it.`);
}

const isUnanswered = (stage: Stage): boolean => stage === "submitting" || stage === "settling";

/** Ends a rehearsal after too long without a decisive answer from the platform. */
function untilGivenUp({ deps, connector, row }: Stand, taken: Turn): Turn {
  const { changes } = taken;
  if (!isUnanswered(row.stage) || !isUnanswered(changes.stage ?? row.stage)) return taken;
  const givenUpAt = addSeconds(row.submittedAt ?? row.createdAt, ASKED_FOR_SECONDS);
  if (givenUpAt > deps.now()) return taken;
  const said = changes.message ?? row.message;
  return end(
    "unknown",
    said ?? `${connector.name} has not said for a day what became of the post.`,
  );
}

async function act(stand: Stand, credentials: Credentials): Promise<Turn | Expired> {
  const { deps, connector, row, account, origin } = stand;
  const { stage } = row;
  if (stage === "planning") return plan(stand, credentials);
  if (stage === "reading") return readBack(stand, credentials);
  if (stage === "removing") return remove(stand, credentials);
  const job = await createJob(deps, connector, row, account, credentials, origin);
  switch (stage) {
    case "asking":
    case "preparing":
      return prepare(stand, job);
    case "submitting":
      return reconcile(stand, job);
    case "settling":
      return settle(stand, job);
    case "over":
      return turn({});
    default:
      return stage satisfies never;
  }
}

/** Connectors throw a plain error when they cannot tell whether the post was published. */
const lookOf = <T>(stand: Stand, call: () => Promise<T>): Promise<T | Thrown> =>
  answerOf<T | Thrown>(stand, () =>
    call().catch((error: unknown) => {
      const isPlain = error instanceof Error && error.constructor === Error;
      if (!isPlain || stand.record.isBroken(error)) throw error;
      return { kind: "thrown", message: error.message, isFinal: false };
    }),
  );

async function plan(stand: Stand, credentials: Credentials): Promise<Turn | Expired> {
  const { deps, connector, account, row } = stand;
  const call = createCall(deps, account, credentials);
  const planned = await answerOf(stand, () => connector.rehearsal.plan(call));
  if ("kind" in planned) return end("nothing", planned.message);
  if (!planned.ok) {
    const { error } = planned;
    return error.kind === "token_expired" ? error.kind : end("nothing", messageOf(error));
  }
  const { value } = planned;
  const sampleSha256 = value.sample
    ? await storeSample(deps, row.teamId, value.sample, deps.newId("sample"))
    : null;
  const stage = isSeenByOthers(value.audience) ? "asking" : "preparing";
  const removal = removalOf(connector, call.account);
  return turn(
    { plan: { ...value, removal }, sampleSha256, stage },
    `The post is planned. ${seenBy(value.audience, connector.rehearsal)}`,
  );
}

async function prepare(stand: Stand, job: PublishJob): Promise<Turn | Expired> {
  const { connector, row } = stand;
  if (row.bookmark === null) {
    const [problem] = await connector.check(job.post, targetOfJob(job));
    if (problem) return end("nothing", problem.message);
  }
  const step = await answerOf(stand, () => connector.prepare(job, row.bookmark));
  switch (step.kind) {
    case "thrown":
      return end("nothing", step.message);
    case "failed":
      return end("nothing", messageOf(step));
    case "token_expired":
      return step.kind;
    case "next":
      return turn({ stage: "preparing", bookmark: step.bookmark });
    case "waiting":
      return turn({ stage: "preparing", bookmark: step.bookmark }, null, step.checkAfterSeconds);
    case "ready":
      return ready(stand, job, step.bookmark);
    default:
      return step satisfies never;
  }
}

async function ready(stand: Stand, job: PublishJob, bookmark: Bookmark): Promise<Turn | Expired> {
  const { draftId } = stand.connector.rehearsal;
  if (!draftId) return submit(stand, job, bookmark);
  return turn(
    { stage: "reading", bookmark, platformPostId: await draftId(bookmark) },
    "The post is prepared, and is not published: it could not be deleted.",
  );
}

async function submit(stand: Stand, job: PublishJob, bookmark: Bookmark): Promise<Turn | Expired> {
  const { deps, connector } = stand;
  const submittedAt = deps.now();
  await stand.save({ stage: "submitting", bookmark, submittedAt });
  const wait = Math.ceil(secondsBetween(submittedAt, reconcileAt(stand, submittedAt)));
  const step = await answerOf(stand, () => connector.submit(job, bookmark));
  switch (step.kind) {
    case "published":
      return isOut(step);
    case "waiting":
      return turn({ stage: "settling", bookmark: step.bookmark }, null, step.checkAfterSeconds);
    case "failed":
      return end(nothingOr(step), messageOf(step));
    case "token_expired":
      // The platform refused the login, so no post exists.
      await stand.save({ stage: "preparing", submittedAt: null });
      return step.kind;
    case "unknown":
      return turn({ message: step.message }, step.message, wait);
    case "thrown":
      if (step.isFinal) return end("nothing", step.message);
      return turn({ message: step.message }, step.message, wait);
    default:
      return step satisfies never;
  }
}

const nothingOr = ({ failure }: Exclude<Stopped, { kind: "token_expired" }>): Outcome =>
  failure.code === "platform_processing_timeout" ? "unknown" : "nothing";

function isOut(post: {
  platformPostId: string;
  shareUrl: string | null;
  warnings?: string[];
}): Turn {
  const { platformPostId, shareUrl, warnings = [] } = post;
  const place = shareUrl ?? `id ${platformPostId}`;
  return turn(
    { stage: "reading", platformPostId, shareUrl, message: null },
    [`Published: ${place}.`, ...warnings].join(" "),
  );
}

/** The earliest time at which the platform can say whether an unanswered call created the post. */
function reconcileAt({ connector: { timing } }: Stand, submittedAt: Date): Date {
  return addSeconds(submittedAt, timing.callSeconds + timing.acceptSeconds + timing.listSeconds);
}

async function reconcile(stand: Stand, job: PublishJob): Promise<Turn | Expired> {
  const { deps, connector, row } = stand;
  const at = reconcileAt(stand, row.submittedAt ?? row.createdAt);
  if (at > deps.now()) return turn({}, null, Math.ceil(secondsBetween(deps.now(), at)));
  const bookmark = row.bookmark ?? {};
  const step = await lookOf(stand, () => connector.reconcile(job, bookmark));
  switch (step.kind) {
    case "published":
      return isOut(step);
    case "waiting":
      return turn({ stage: "settling", bookmark: step.bookmark }, null, step.checkAfterSeconds);
    case "absent":
      return end(
        "nothing",
        `${connector.name} has no such post: the call that publishes was lost.`,
      );
    case "unknowable":
      return end("unknown", step.message);
    case "token_expired":
      return step.kind;
    case "thrown":
      return turn({ message: step.message }, step.message, ASK_AGAIN_SECONDS);
    default:
      return step satisfies never;
  }
}

async function settle(stand: Stand, job: PublishJob): Promise<Turn | Expired> {
  const { connector, row } = stand;
  const { settle: follow } = connector;
  if (!follow) throw new Error(`${connector.platform} has nothing to settle.`);
  const step = await lookOf(stand, () => follow(job, row.bookmark ?? {}));
  switch (step.kind) {
    case "published":
      return isOut(step);
    case "waiting":
      return turn({ bookmark: step.bookmark }, null, step.checkAfterSeconds);
    case "failed":
      if (step.transient)
        return turn({ message: messageOf(step) }, messageOf(step), ASK_AGAIN_SECONDS);
      return end("unknown", messageOf(step));
    case "token_expired":
      return step.kind;
    case "thrown":
      return turn({ message: step.message }, step.message, ASK_AGAIN_SECONDS);
    default:
      return step satisfies never;
  }
}
