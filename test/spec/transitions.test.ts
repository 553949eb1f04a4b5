import { describe, expect, test } from "vitest";
import type { UploadStatus } from "../../src/core/upload-status.ts";
import { approveUpload, requestChanges, type Work } from "../../src/features/approval/decide.ts";
import { type Answer, createToken, form, START } from "../support/harness.ts";
import { beginLife, type Columns, type Life, later } from "../support/life.ts";

/** Acts on a post in the status `from`; returns the id of the post afterwards. */
type Trigger = (life: Life, id: number) => Promise<number>;

interface Row {
  from: UploadStatus | "(none)";
  trigger: string;
  /** Columns of the post before, where its status does not say all. */
  before?: () => Columns;
  run: Trigger;
  to: UploadStatus;
  event: string | null;
  /** Data of the event, beside the post's own. */
  told?: object;
  /** Further fields of the record. */
  also?: object;
}

const REFUSED = "Words [sandbox:content_flagged]";
const FAILED = { code: "content_flagged", retryable: false, nextAction: "edit_post" };

const post = async (life: Life, fields: Record<string, string>, token = life.member.token) => {
  const body = form({ accountId: life.accountId, description: "Words", ...fields });
  const answer = await life.harness.call("POST", "/upload", { token, body });
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  return answer.body.data.uploadId as number;
};

const create =
  (fields: () => Record<string, string>): Trigger =>
  (life) =>
    post(life, fields());

/** A worker takes the post up, as a message or the sweep asks it to. */
const publish: Trigger = async ({ harness }, id) => {
  harness.advance(91);
  await harness.consume([{ kind: "publish", uploadId: id }]);
  return id;
};

/** The minute of the planned date comes. */
const reachDate: Trigger = async ({ harness }, id) => {
  harness.advance(3_600);
  await harness.tick();
  await harness.drain();
  return id;
};

const call =
  (method: string, path: (id: number) => string, json?: unknown): Trigger =>
  async (life, id) => {
    expect(await life.call(method, path(id), json)).toMatchObject({ status: 200 });
    return id;
  };

const IN_AN_HOUR = new Date(START.getTime() + 3_600_000).toISOString();
const inAnHour = (): Columns => ({ scheduled_for: later(3_600).getTime() });

const asClient =
  (decide: (work: Work, id: number) => Promise<unknown>): Trigger =>
  async (life, id) => {
    await decide({ deps: life.harness.deps, teamId: life.member.teamId, by: null }, id);
    return id;
  };

const COMMENT = "Say it in fewer words.";
const approvals: [string, "client" | "team", Trigger][] = [
  ["POST /upload/{id}/approve", "team", call("POST", (id) => `/upload/${id}/approve`)],
  [
    "client approves via review link",
    "client",
    asClient((work, id) => approveUpload(work, id, { by: "client" })),
  ],
];
const dates: [string, () => Columns, "scheduled" | "pending"][] = [
  ["with a future date", inAnHour, "scheduled"],
  ["without date", () => ({}), "pending"],
  ["with a date that has passed", () => ({ scheduled_for: later(-60).getTime() }), "pending"],
];
const changeRequests: [string, "client" | "team", Trigger][] = [
  [
    "POST /upload/{id}/request-changes",
    "team",
    call("POST", (id) => `/upload/${id}/request-changes`, { comment: COMMENT }),
  ],
  [
    "client requests changes via review link",
    "client",
    asClient((work, id) => requestChanges(work, id, { by: "client" }, COMMENT)),
  ],
];

/** Source: spec, "Upload status", row by row. */
const TABLE: Row[] = [
  {
    from: "(none)",
    trigger: "create with status=draft",
    run: create(() => ({ status: "draft" })),
    to: "draft",
    event: null,
  },
  {
    from: "(none)",
    trigger: "create with status=pending_approval",
    run: create(() => ({ status: "pending_approval" })),
    to: "pending_approval",
    event: null,
  },
  {
    from: "(none)",
    trigger: "create with schedule_date",
    run: create(() => ({ schedule_date: later(3_600).toISOString() })),
    to: "scheduled",
    event: "upload.scheduled",
  },
  {
    from: "(none)",
    trigger: "create without status or date",
    run: create(() => ({})),
    to: "pending",
    event: null,
  },
  {
    from: "(none)",
    trigger: "create by a token without posts:publish, whatever it asks for",
    run: async (life) => {
      const token = await createToken(life.member.userId, { scopes: ["posts:write"] });
      return post(life, { schedule_date: later(3_600).toISOString() }, token);
    },
    to: "pending_approval",
    event: null,
  },
  ...(["draft", "pending_approval"] as const).map(
    (from): Row => ({
      from,
      trigger: "POST /upload/{id}/submit",
      run: call("POST", (id) => `/upload/${id}/submit`),
      to: "pending_approval",
      event: null,
    }),
  ),
  ...(["draft", "pending_approval"] as const).flatMap((from) =>
    approvals
      .filter(([, by]) => by === "team" || from === "pending_approval")
      .flatMap(([trigger, by, run]) =>
        dates.map(
          ([when, before, to]): Row => ({
            from,
            trigger: `${trigger} ${when}`,
            before: () => ({ ...before(), review_comment: "Shorter" }),
            run,
            to,
            event: "upload.approved",
            told: {
              version: expect.any(String),
              reviewedBy: by,
              scheduledFor: to === "scheduled" ? IN_AN_HOUR : null,
            },
            also: { reviewComment: null },
          }),
        ),
      ),
  ),
  ...changeRequests.map(
    ([trigger, by, run]): Row => ({
      from: "pending_approval",
      trigger,
      before: inAnHour,
      run,
      to: "draft",
      event: "upload.changes_requested",
      told: { reviewedBy: by, comment: COMMENT, version: expect.any(String) },
      also: { reviewComment: COMMENT, scheduledFor: IN_AN_HOUR },
    }),
  ),
  {
    from: "scheduled",
    trigger: "deleted",
    before: inAnHour,
    run: call("DELETE", (id) => `/upload/${id}`),
    to: "failed",
    event: "upload.cancelled",
    also: { failure: { code: "cancelled", retryable: false, nextAction: "none" } },
  },
  {
    from: "scheduled",
    trigger: "scheduled time reached, and the platform takes it",
    before: inAnHour,
    run: reachDate,
    to: "completed",
    event: "upload.completed",
  },
  {
    from: "scheduled",
    trigger: "scheduled time reached, and the platform refuses it",
    before: () => ({ ...inAnHour(), description: REFUSED }),
    run: reachDate,
    to: "failed",
    event: "upload.failed",
    also: { failure: FAILED },
  },
  ...(["pending", "processing"] as const).flatMap((from): Row[] => [
    {
      from,
      trigger: "publish succeeds",
      run: publish,
      to: "completed",
      event: "upload.completed",
      also: {
        metadata: { videoId: expect.any(String), shareUrl: expect.any(String) },
        failure: null,
      },
    },
    {
      from,
      trigger: "publish fails",
      before: () => ({ description: REFUSED }),
      run: publish,
      to: "failed",
      event: "upload.failed",
      also: { metadata: null, failure: FAILED, errorMessage: expect.any(String) },
    },
  ]),
  {
    from: "failed",
    trigger: "POST /upload/{id}/retry",
    run: call("POST", (id) => `/upload/${id}/retry`),
    to: "pending",
    event: null,
    also: { failure: null, errorMessage: null },
  },
  {
    from: "failed",
    trigger: "POST /upload/retry-failed",
    run: call("POST", () => "/upload/retry-failed"),
    to: "pending",
    event: null,
    also: { failure: null, errorMessage: null },
  },
];

const record = async (life: Life, id: number) =>
  (await life.call("GET", `/upload/${id}`)).body.data;

describe("the upload status table", () => {
  test.each(TABLE)(
    "$from: $trigger → $to",
    async ({ from, before, run, to, event, told, also = {} }) => {
      const life = await beginLife();
      const first = from === "(none)" ? 0 : await life.insert({ status: from, ...before?.() });
      const id = await run(life, first);
      expect(await record(life, id)).toMatchObject({ status: to, ...also });
      const events = await life.events();
      expect(events.map(({ name }) => name)).toEqual(event ? [event] : []);
      if (!told) return;
      expect(events[0]?.data).toEqual({ uploadId: id, platform: "bluesky", ...told });
    },
  );
});

const STATUSES: UploadStatus[] = [
  "draft",
  "pending_approval",
  "scheduled",
  "pending",
  "processing",
  "completed",
  "failed",
];

/** A post that stands there and whose planned date, if any, is an hour away. */
const columnsOf = (status: UploadStatus): Columns =>
  ["draft", "pending_approval", "scheduled"].includes(status)
    ? { status, ...inAnHour() }
    : { status };

const statusesBut = (...left: UploadStatus[]) => STATUSES.filter((one) => !left.includes(one));

/** Doors through which a post cannot go from these. */
const SHUT: [string, UploadStatus[], (life: Life, id: number) => Promise<Answer>, object][] = [
  [
    "retry",
    statusesBut("failed"),
    (life, id) => life.call("POST", `/upload/${id}/retry`, { force: true }),
    { status: 409, body: { success: false, code: "NOT_FAILED" } },
  ],
  [
    "retry-failed",
    statusesBut("failed"),
    (life) => life.call("POST", "/upload/retry-failed"),
    { status: 200, body: { data: { retried: [], skipped: [] } } },
  ],
  [
    "submit",
    statusesBut("draft", "pending_approval"),
    (life, id) => life.call("POST", `/upload/${id}/submit`),
    { status: 409, body: { success: false, code: "NOT_REVIEWABLE" } },
  ],
  [
    "approve",
    statusesBut("draft", "pending_approval"),
    (life, id) => life.call("POST", `/upload/${id}/approve`),
    { status: 409, body: { success: false, code: "NOT_REVIEWABLE" } },
  ],
  [
    "a client's approval",
    statusesBut("pending_approval"),
    async ({ harness, member }, id) => {
      const work = { deps: harness.deps, teamId: member.teamId, by: null };
      const refusal = await approveUpload(work, id, { by: "client" }).catch((error) => error);
      return { ...refusal, headers: new Headers(), body: { success: false, code: refusal.code } };
    },
    { status: 409, body: { success: false, code: "NOT_REVIEWABLE" } },
  ],
  [
    "request-changes",
    statusesBut("pending_approval"),
    (life, id) => life.call("POST", `/upload/${id}/request-changes`, { comment: COMMENT }),
    { status: 409, body: { success: false, code: "NOT_REVIEWABLE" } },
  ],
  [
    "delete",
    ["processing", "completed"],
    (life, id) => life.call("DELETE", `/upload/${id}`),
    { status: 409, body: { success: false, code: "NOT_CANCELLABLE" } },
  ],
  [
    "edit",
    ["processing", "completed"],
    (life, id) => life.call("PATCH", `/upload/${id}`, { description: "New" }),
    { status: 409, body: { success: false, code: "UPLOAD_LOCKED" } },
  ],
];

describe("what the table does not have", () => {
  test.each(
    SHUT.flatMap(([name, from, run, refusal]) =>
      from.map((status) => ({ name, status, run, refusal })),
    ),
  )("a $status post does not move by $name", async ({ status, run, refusal }) => {
    const life = await beginLife();
    const id = await life.insert(columnsOf(status));
    const before = await life.row(id);
    expect(await run(life, id)).toMatchObject(refusal);
    expect(await life.row(id)).toEqual(before);
    expect(await life.events()).toEqual([]);
  });

  test.each(STATUSES.flatMap((from) => statusesBut(from).map((to) => ({ from, to }))))(
    "PATCH does not make a $from post $to",
    async ({ from, to }) => {
      const life = await beginLife();
      const id = await life.insert(columnsOf(from));
      const before = await life.row(id);
      expect(await life.call("PATCH", `/upload/${id}`, { status: to, title: "New" })).toMatchObject(
        {
          status: 400,
          body: { success: false, code: "USE_APPROVAL_ACTIONS" },
        },
      );
      expect(await life.row(id)).toEqual(before);
    },
  );

  test.each(["draft", "pending_approval", "completed", "failed"] as const)(
    "nothing publishes a %s post: no date, no message",
    async (status) => {
      const life = await beginLife();
      const id = await life.insert({ status, ...inAnHour() });
      const before = await life.row(id);
      await reachDate(life, id);
      await publish(life, id);
      expect(await life.row(id)).toEqual(before);
      expect(await life.events()).toEqual([]);
    },
  );
});
