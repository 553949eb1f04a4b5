import type { Platform } from "../../src/core/platforms.ts";
import type { Bookmark, Connector, PublishJob } from "../../src/platforms/connector.ts";
import { connectorOf as shippedConnector } from "../../src/platforms/registry.ts";
import type { Subject } from "./world-options.ts";

type Publishing = Pick<Connector, "prepare" | "submit" | "settle" | "reconcile" | "timing">;

/** A reply; "refused": the token was refused, null: no readable answer. */
type Answer = Record<string, unknown> | "refused" | null;

async function call(job: PublishJob, method: "GET" | "POST", path: string, body?: object) {
  const request = new Request(`${job.account.service}/${path}`, {
    method,
    headers: { authorization: `Bearer ${job.accessToken}` },
    body: body ? JSON.stringify(body) : null,
  });
  const reply = await job.fetch(request);
  const answer = (await reply.json()) as Record<string, unknown>;
  if (reply.status === 400) return "refused" as const;
  return reply.ok ? answer : null;
}

const textOf = (job: PublishJob): string => job.post.description ?? "";
/** A part is the one after the latest post. */
const keyOf = ({ uploadId, attempt, replyTo }: PublishJob): string =>
  `${uploadId}-${attempt}-${replyTo?.latest ?? "head"}`;
const toPost = (job: PublishJob) => ({ text: textOf(job), key: keyOf(job), replyTo: job.replyTo });
const published = (id: unknown) =>
  ({ kind: "published", platformPostId: String(id), shareUrl: null }) as const;
const TOKEN_EXPIRED = { kind: "token_expired" } as const;

function required(answer: Answer): Record<string, unknown> {
  if (answer === null || answer === "refused") throw new Error("No answer.");
  return answer;
}

/** Posts in several steps on a platform whose every publish call makes a new post. */
const stepwise: Publishing = {
  timing: { callSeconds: 30, acceptSeconds: 60, listSeconds: 30 },
  prepare: async (job, bookmark) => {
    const done = Number(bookmark?.steps ?? 0);
    if (done === 2) return { kind: "ready", bookmark: bookmark ?? {} };
    const answer = await call(job, "POST", "step", { text: textOf(job) });
    if (answer === "refused") return TOKEN_EXPIRED;
    required(answer);
    return { kind: "next", bookmark: { steps: done + 1 } };
  },
  submit: async (job, bookmark) => {
    const answer = await call(job, "POST", "publish", toPost(job));
    if (answer === "refused") return TOKEN_EXPIRED;
    if (answer === null) return { kind: "unknown", message: "The platform fell over." };
    if (answer.isDone) return published(answer.id);
    return { kind: "waiting", bookmark: { ...bookmark, id: answer.id }, checkAfterSeconds: 5 };
  },
  settle: async (job, bookmark) => {
    const answer = await call(job, "GET", `status?key=${String(bookmark.id)}`);
    if (answer === "refused") return TOKEN_EXPIRED;
    if (required(answer).isDone) return published(bookmark.id);
    return { kind: "waiting", bookmark, checkAfterSeconds: 5 };
  },
  reconcile: async (job, bookmark) => {
    const answer = await call(job, "GET", `find?key=${keyOf(job)}`);
    if (answer === "refused") return TOKEN_EXPIRED;
    const { id } = required(answer);
    if (id === null) return { kind: "absent" };
    return { kind: "waiting", bookmark: { ...bookmark, id }, checkAfterSeconds: 5 };
  },
};

/** Control: asks at once what became of a submit, while the platform may still accept it. */
const hasty: Publishing = {
  ...stepwise,
  timing: { callSeconds: 30, acceptSeconds: -15, listSeconds: -15 },
};

/** Control: looks whether the post is there, else posts; nothing is written down before. */
const naive: Publishing = {
  ...stepwise,
  prepare: async (job) => {
    const found = await call(job, "GET", `find?key=${keyOf(job)}`);
    if (found === "refused") return TOKEN_EXPIRED;
    const { id } = required(found);
    if (id !== null) return { kind: "ready", bookmark: { id } };
    const made = await call(job, "POST", "publish", toPost(job));
    if (made === "refused") return TOKEN_EXPIRED;
    return { kind: "ready", bookmark: { id: required(made).id } };
  },
  submit: async (_job, bookmark: Bookmark) => published(bookmark.id),
  reconcile: async (_job, bookmark: Bookmark) => published(bookmark.id),
};

/** Control: a part whose answer was lost is sent again without a look. */
const blind: Publishing = {
  ...stepwise,
  reconcile: async (job, bookmark) =>
    job.replyTo ? { kind: "absent" } : stepwise.reconcile(job, bookmark),
};

/** Control: each part answers the first post instead of the one before it. */
const astray: Publishing = {
  ...stepwise,
  submit: async ({ replyTo, ...job }, bookmark) =>
    stepwise.submit(
      replyTo ? { ...job, replyTo: { ...replyTo, parent: replyTo.root } } : job,
      bookmark,
    ),
};

const scripted: Partial<Record<Subject, Publishing>> = { stepwise, hasty, naive, blind, astray };

/** Few, so that some account reaches it; a thread counts as its posts. */
export const CAP = { posts: 12, threads: 30 };

/** The platform in whose place a subject stands. */
export const platformOf = (subject: Subject): Platform =>
  subject in scripted ? "bluesky" : (subject as Platform);

const originals = new Map<Platform, Connector>();

/** The connector as it is in this Worker; the scripted ways of publishing stand in Bluesky's place. */
function connectorOf(subject: Subject): { connector: Connector; original: Connector } {
  const platform = platformOf(subject);
  const connector = shippedConnector(platform);
  const original = originals.get(platform) ?? { ...connector };
  originals.set(platform, original);
  return { connector, original };
}

/** Puts the subject's way of publishing in its place, in this Worker alone, and makes its cap small. */
export function publishLike(subject: Subject, cap: number): Connector["timing"] {
  const { connector, original } = connectorOf(subject);
  const capabilities = { ...original.capabilities, dailyPostCap: cap };
  return Object.assign(connector, original, scripted[subject], { capabilities }).timing;
}
