import { describe, expect, test } from "vitest";
import { BACKOFF_SECONDS } from "../../src/core/failures.ts";
import { PLATFORMS } from "../../src/core/platforms.ts";
import { sha256Hex } from "../../src/core/signature.ts";
import type { Fields } from "../support/harness.ts";
import { isFull } from "../support/load.ts";
import { count, dieBefore, openStage } from "../support/stage.ts";
import type { Counts, Kind, Trouble } from "./row.ts";
import { ROWS } from "./rows.ts";
import { expectFailures } from "./steering.ts";

/** Parts of the files in sent order, as the feed shows them. */
async function filesIn({ photo = [], video = [] }: Fields) {
  const files = [photo, video].flat().filter((file) => file instanceof Blob);
  return Promise.all(
    files.map(async (file) => ({
      sizeBytes: file.size,
      sha256: await sha256Hex(new Uint8Array(await file.arrayBuffer())),
      ...(file.type ? { mime: file.type } : {}),
    })),
  );
}

const countsOf = (calls: string[], names: Counts): Counts =>
  Object.fromEntries(Object.keys(names).map((name) => [name, count(calls, name)]));

const UNDECIDED = {
  status: "failed",
  failure: { code: "platform_processing_timeout", nextAction: "check_platform" },
};

/** The other kinds of a platform share the code that deals with these, so that the first kind usually stands for all. */
const WITHOUT_DOUBT: [happens: string, trouble: Trouble][] = [
  ["a token is refused", "token_expired"],
  ["the platform fails twice", "5xx=2"],
];

test("every platform has a row", () => {
  expect([...new Set(ROWS.map(({ platform }) => platform))].sort()).toEqual([...PLATFORMS].sort());
});

describe.each(ROWS.map((row) => [row.as ?? row.platform, row] as const))("%s", (_, row) => {
  const onStage = (person = row.person) => openStage(row.platform, { ...row, person });
  const kinds = Object.entries(row.kinds);

  test("connects an account, and again once it was removed", async () => {
    const stage = await onStage();
    expect(stage.account).toMatchObject({ platform: row.platform, status: "active" });
    expect(await stage.disconnect()).toMatchObject({ status: 200 });
    expect(await stage.connect(await row.pageOf?.(stage.name, stage.member.teamId))).toMatchObject({
      status: 200,
      body: { success: true },
    });
  });

  test.each(row.arrivals.map((arrival) => [arrival.what, arrival] as const))(
    "%s",
    async (_, { fields, address = row.address, person, ...expected }) => {
      const stage = await onStage(person);
      const sent = fields();
      const { upload, calls, feed } = await stage.publish(sent);
      expect(upload).toMatchObject({ status: "completed", errorMessage: null });
      const warnings = expected.warnings ? [expect.stringMatching(expected.warnings)] : [];
      expect(upload.metadata.warnings ?? []).toEqual(warnings);
      const url = address && expect.stringMatching(address);
      expect(upload.metadata.shareUrl).toEqual(url);
      expect(feed).toMatchObject([
        {
          uploadId: upload.id,
          platform: row.platform,
          received: 1,
          media: expected.media ?? (await filesIn(sent)),
          ...(url ? { url: upload.metadata.shareUrl } : {}),
          ...expected.feed,
        },
      ]);
      if (expected.first) expect(calls.slice(0, expected.first.length)).toEqual(expected.first);
      if (Array.isArray(expected.calls)) expect(calls).toEqual(expected.calls);
      else if (expected.calls) expect(countsOf(calls, expected.calls)).toEqual(expected.calls);
    },
    60_000,
  );

  describe.each(kinds)("%s", (_, kind) => {
    const isWhole = isFull || kind === kinds[0]?.[1];
    const TROUBLES: [happens: string, trouble: Trouble][] = [
      ["an answer is lost", "lost_reply"],
      ["a run is killed before it could store the outcome", "killed"],
      ...(isWhole ? WITHOUT_DOUBT : []),
    ];

    test.each(TROUBLES)("one post comes of it where %s", async (_, trouble) => {
      const stage = await onStage();
      const word = trouble === "killed" ? "" : ` [sandbox:${trouble}]`;
      const id = await stage.post(kind.fields(`On its way${word}`));
      const deaths = trouble === "killed" ? dieBefore(stage, "status = 'completed'") : () => 1;
      const { result: upload, calls } = await stage.watch(() => stage.end(id));
      const feed = await stage.feed();
      expect(deaths()).toBe(1);
      const counts = expectedCalls(kind, trouble);
      expect(countsOf(calls, counts)).toEqual(counts);
      if (kind.undecided?.includes(trouble)) {
        expect(upload).toMatchObject(UNDECIDED);
        const isThere = trouble !== "5xx=2";
        expect(feed).toMatchObject(isThere ? [{ uploadId: id, received: 1 }] : []);
        expect(feed).toHaveLength(isThere ? 1 : 0);
      } else {
        expect(upload).toMatchObject({ status: "completed", errorMessage: null });
        expect(feed).toMatchObject([{ uploadId: id, received: 1 }]);
        expect(feed[0].text).toContain(word.trim());
        expect(upload.metadata.shareUrl).toBe(feed[0].url);
      }
      expect(await stage.readAccount()).toMatchObject({ status: "active" });
    });

    const { slow } = kind;
    if (slow) {
      test("slow processing is waited for", async () => {
        const stage = await onStage();
        const fields = kind.fields(`Slow [sandbox:slow=${slow.seconds}]`);
        const { upload, calls, feed } = await stage.publish(fields);
        expect(upload).toMatchObject({ status: "completed", errorMessage: null });
        expect(feed).toMatchObject([{ received: 1 }]);
        const [name, atLeast] = slow.asks ?? ["", 0];
        expect(count(calls, name)).toBeGreaterThanOrEqual(atLeast);
      });
    }

    if (!isWhole) return;

    // steering.long.test.ts has every failure.
    test("steering words end the post with a failure, at once", () =>
      expectFailures(row, kind, ["account_disconnected", "content_flagged"]));

    test("with the platform down the last call is made 1 + 3 times at most, each later than the one before", async () => {
      const stage = await onStage();
      const calledAt: number[] = [];
      const { upload, feed } = await stage.publish(kind.fields("In vain"), async (call, answer) => {
        if ((await row.nameOf(call)) !== kind.submit) return answer();
        calledAt.push(Date.now());
        await call.request.body?.cancel();
        return new Response("{}", { status: 503 });
      });
      const isAsked = !kind.undecided?.includes("5xx=2");
      expect(calledAt).toHaveLength(isAsked ? 4 : 1);
      const waits = calledAt.slice(1).map((at, n) => (at - (calledAt[n] ?? 0)) / 1_000);
      for (const [n, wait] of waits.entries())
        expect(wait).toBeGreaterThanOrEqual(BACKOFF_SECONDS[n] ?? 0);
      const failure = { code: "platform_unavailable" };
      expect(upload).toMatchObject(isAsked ? { status: "failed", failure } : UNDECIDED);
      expect(feed).toEqual([]);
    }, 60_000);
  });

  /** A refused token is renewed once; a call that may have taken effect is not repeated. */
  function expectedCalls(kind: Kind, trouble: Trouble): Counts {
    const renewed = trouble === "token_expired" && row.refresh ? { [row.refresh]: 1 } : {};
    const submitted = trouble === "lost_reply" ? { [kind.submit]: 1 } : {};
    return { ...renewed, ...submitted, ...kind.calls?.[trouble] };
  }

  test.each(row.refused)("refuses %s as it comes in (400)", async (_, fields, named) => {
    const stage = await onStage();
    const answer = await stage.send(fields());
    expect(answer.status).toBe(400);
    const errors: { field: string }[] = answer.body.errors;
    expect(errors.map(({ field }) => field)).toEqual(named);
    expect(stage.harness.sent).toEqual([]);
  });

  test.each(row.unsendable)(
    "%s ends the post before anything goes out",
    async (_, fields, message) => {
      const stage = await onStage();
      const { upload, calls, feed } = await stage.publish(fields());
      expect(upload).toMatchObject({
        status: "failed",
        failure: { code: "media_invalid", retryable: false },
        errorMessage: expect.stringMatching(message),
      });
      expect(calls.filter((call) => !row.asks?.includes(call))).toEqual([]);
      expect(feed).toEqual([]);
    },
  );
});
