import { expect, test } from "vitest";
import type { AppError } from "../../../src/core/errors.ts";
import {
  approveUpload,
  approveUploads,
  type Decided,
  requestChanges,
} from "../../../src/features/approval/decide.ts";
import type { Answer } from "../../support/harness.ts";
import { type Columns, type Life, lag, RACES, raceOften } from "../../support/life.ts";

/** Posts too short to be alike, each with another text. */
const held = (i: number): Columns => ({ status: "pending_approval", description: `Post ${i}` });

const approve = (life: Life, id: number) => life.call("POST", `/upload/${id}/approve`);
const sendBack = (life: Life, id: number) =>
  life.call("POST", `/upload/${id}/request-changes`, { comment: "Shorter" });

/** Returns a client's decision as an answer. */
const asAnswer = (decision: Promise<Decided>): Promise<Pick<Answer, "status" | "body">> =>
  decision.then(
    (data) => ({ status: 200, body: { data } }),
    ({ status, code }: AppError) => ({ status, body: { code } }),
  );
const workOf = ({ harness, member }: Life) => ({
  deps: harness.deps,
  teamId: member.teamId,
  by: null,
});
const clientApproves = (life: Life, id: number) =>
  asAnswer(approveUpload(workOf(life), id, { by: "client" }));
const clientSendsBack = (life: Life, id: number) =>
  asAnswer(requestChanges(workOf(life), id, { by: "client" }, "Longer"));

type Call = (life: Life, id: number) => Promise<Pick<Answer, "status" | "body">>;

interface Side {
  name: string;
  call: Call;
  /** The status of the post, and the event, where this side wins. */
  wins: [status: string, event: string | null];
}

const APPROVED: Side["wins"] = ["pending", "upload.approved"];
const SENT_BACK: Side["wins"] = ["draft", "upload.changes_requested"];

const PAIRS: [string, Side, Side][] = [
  [
    "two approvers",
    { name: "one", call: approve, wins: APPROVED },
    { name: "the other", call: approve, wins: APPROVED },
  ],
  [
    "an approval and a request for changes",
    { name: "approval", call: approve, wins: APPROVED },
    { name: "request", call: sendBack, wins: SENT_BACK },
  ],
  [
    "a client's approval and a team's",
    { name: "client", call: clientApproves, wins: APPROVED },
    { name: "team", call: approve, wins: APPROVED },
  ],
  [
    "a client's request for changes and a team's approval",
    { name: "client", call: clientSendsBack, wins: SENT_BACK },
    { name: "team", call: approve, wins: APPROVED },
  ],
];

test.each(PAIRS)(`of %s one wins, ${RACES} times`, { timeout: 120_000 }, async (_, one, other) => {
  const sides = [one, other];
  // A draft can be approved too: an approval that comes after a request for changes is no race with it.
  const mayWait = (side: Side) => side.wins !== APPROVED || one.wins === other.wins;
  const { raced, sent } = await raceOften(held, (life, id, i) =>
    Promise.all(
      sides.map(async (side, s) => {
        if (i % 2 === s && mayWait(side)) await lag(Math.floor(i / 2) % 12);
        return side.call(life, id);
      }),
    ),
  );
  const seen = raced.map(({ outcome, row, told }) => {
    const winner = outcome.findIndex(({ status }) => status === 200);
    const loser = outcome[1 - winner];
    if (outcome.every(({ status }) => status === 200)) {
      // An approval that read the post after it was sent back: a draft can be approved.
      expect([row.status, told]).toEqual([
        "pending",
        ["upload.changes_requested", "upload.approved"],
      ]);
      return "one after the other";
    }
    expect(outcome.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(["NOT_REVIEWABLE", "POST_CHANGED"]).toContain(loser?.body.code);
    const [status, event] = sides[winner]?.wins ?? [];
    expect(row.status).toBe(status);
    expect(told).toEqual([event]);
    return sides[winner]?.name;
  });
  const goneOut = raced.filter(({ row }) => row.status === "pending").length;
  expect(sent).toBe(goneOut);
  const wins = sides.map(({ name }) => `${name} ${seen.filter((won) => won === name).length}`);
  console.log(`${raced.length} races: ${wins.join(", ")}.`);
});

test(`an approval and a deletion: one wins, ${RACES} times`, { timeout: 120_000 }, async () => {
  const { raced, sent } = await raceOften(held, (life, id, i) =>
    Promise.all([
      lag(i % 2 ? 0 : i % 3).then(() => approve(life, id)),
      lag(i % 2 ? i % 12 : 0).then(() => life.call("DELETE", `/upload/${id}`)),
    ]),
  );
  const seen = raced.map(({ outcome: [approved, deleted], row, told }) => {
    if (row.deleted_at !== null) {
      expect([deleted.status, row.status]).toEqual([200, "pending_approval"]);
      // A post removed before the approval read it is a 404 for the approval.
      expect(["404 NOT_FOUND", "409 POST_CHANGED"]).toContain(
        `${approved.status} ${approved.body.code}`,
      );
      expect(told).toEqual([]);
      return `removed, ${approved.status}`;
    }
    expect(approved.status).toBe(200);
    if (deleted.status === 200) {
      // A deletion that comes after the approval finds a post that waits, and cancels it.
      expect(row).toMatchObject({ status: "failed", failure_code: "cancelled" });
      expect(told).toEqual(["upload.approved", "upload.cancelled"]);
      return "approved, then cancelled";
    }
    expect(deleted).toMatchObject({ status: 409, body: { code: "NOT_CANCELLABLE" } });
    expect(row.status).toBe("pending");
    expect(told).toEqual(["upload.approved"]);
    return "approved";
  });
  expect(sent).toBe(seen.filter((one) => !one.startsWith("removed")).length);
  const counts = Map.groupBy(seen, (one) => one);
  console.log([...counts].map(([name, { length }]) => `${name}: ${length}`).join("; "));
});

test(`an approval and an edit: what is out is what was approved, ${RACES} times`, {
  timeout: 120_000,
}, async () => {
  const { raced } = await raceOften(held, (life, id, i) =>
    Promise.all([
      lag(i % 2 ? 0 : i % 3).then(() => clientApproves(life, id)),
      lag(i % 2 ? i % 3 : 0).then(() =>
        life.call("PATCH", `/upload/${id}`, { description: `Else ${i}` }),
      ),
    ]),
  );
  for (const [i, { outcome, row, told }] of raced.entries()) {
    const [approved, edited] = outcome;
    const isApproved = approved.status === 200;
    if (!isApproved)
      expect(approved).toMatchObject({ status: 409, body: { code: "POST_CHANGED" } });
    if (edited.status !== 200) expect(edited.body.code).toBe("UPLOAD_LOCKED");
    expect(told).toEqual(isApproved ? ["upload.approved"] : []);
    // A client's approval does not outlive the edit that follows it; one that follows the edit is of the new text.
    const isEdited = row.description === `Else ${i}`;
    expect(isEdited).toBe(edited.status === 200);
    if (row.status === "pending") expect(row.approved_hash).not.toBeNull();
    else expect([row.status, row.approved_hash]).toEqual(["pending_approval", null]);
  }
});

test(`an approval and an edit by a member: only what was read goes out, ${RACES} times`, {
  timeout: 120_000,
}, async () => {
  const members = new Map<Life, Promise<string>>();
  const { raced } = await raceOften(held, async (life, id, i) => {
    const known = members.get(life) ?? life.colleague("MEMBER");
    members.set(life, known);
    const token = await known;
    const path = `/upload/${id}`;
    const read = i % 2 ? (await life.call("GET", path)).body.data : null;
    const named = read ? { version: read.version } : undefined;
    return Promise.all([
      lag(i % 5).then(() => life.call("POST", `${path}/approve`, named)),
      lag(i % 3).then(() => life.call("PATCH", path, { description: `Else ${i}` }, token)),
    ]);
  });
  const seen = raced.map(({ outcome: [approved, edited], row, told }, i) => {
    const isApproved = approved.status === 200;
    expect(told).toEqual(isApproved ? ["upload.approved"] : []);
    if (!isApproved) expect(["POST_CHANGED", "VERSION_REQUIRED"]).toContain(approved.body.code);
    if (edited.status !== 200) expect(edited.body.code).toBe("UPLOAD_LOCKED");
    if (row.status === "pending") expect(row.description).toBe(`Post ${i}`);
    else expect([row.status, row.approved_hash]).toEqual(["pending_approval", null]);
    return row.status === "pending" ? "approved" : (approved.body.code ?? "approved, then edited");
  });
  const counts = Map.groupBy(seen, (one) => one);
  console.log([...counts].map(([name, { length }]) => `${name}: ${length}`).join("; "));
});

test(`an approval of many and one of each: one wins, ${RACES} times`, {
  timeout: 120_000,
}, async () => {
  const all = new Map<Life, number[]>();
  const results = new Map<Life, Promise<Map<number, string>>>();
  const { raced, sent } = await raceOften(held, async (life, id, i) => {
    const ids = all.get(life) ?? [];
    all.set(life, [...ids, id]);
    const together = async () => {
      await lag(1 + (i % 3));
      const known = results.get(life);
      if (known) return known;
      const posts = (all.get(life) ?? []).map((one) => ({ id: one }));
      const done = approveUploads(workOf(life), posts, { by: "client" }).then(
        (verdicts) =>
          new Map(
            verdicts.map((one) => [
              one.uploadId,
              "refusal" in one ? (one.refusal.code ?? "") : one.status,
            ]),
          ),
      );
      results.set(life, done);
      return done;
    };
    const [many, alone] = await Promise.all([together(), approve(life, id)]);
    return { many: many.get(id), alone };
  });
  for (const { outcome, row, told } of raced) {
    const { many, alone } = outcome;
    expect([many, alone.body.data?.status].filter((one) => one === "pending")).toHaveLength(1);
    expect(row.status).toBe("pending");
    expect(told).toEqual(["upload.approved"]);
  }
  expect(sent).toBe(RACES);
});
