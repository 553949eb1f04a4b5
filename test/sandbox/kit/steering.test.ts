import { describe, expect, it } from "vitest";
import { FAILURE_CODES } from "../../../src/core/failures.ts";
import {
  NO_HISTORY,
  readSteering,
  type SteeringHistory,
  steer,
  type Verdict,
} from "../../../src/sandbox/kit/steering.ts";

const NOTHING = {
  failure: null,
  slowSeconds: 0,
  losesReply: false,
  expiresToken: false,
  serverErrors: 0,
  keepsPost: false,
  losesContainer: false,
};

describe("readSteering", () => {
  it.each([
    ["a plain text", {}],
    ["[sandbox:slow=90] later", { slowSeconds: 90 }],
    ["[sandbox:slow=9999]", { slowSeconds: 600 }],
    ["x [sandbox:lost_reply]", { losesReply: true }],
    ["[sandbox:token_expired]", { expiresToken: true }],
    ["[sandbox:5xx=2]", { serverErrors: 2 }],
    ["[sandbox:5xx=2] [sandbox:slow=5]", { serverErrors: 2, slowSeconds: 5 }],
    ["[sandbox:cancelled] [sandbox:unknown]", { failure: "cancelled" }],
    ["[sandbox:no_such_word] [sandbox:slow] [sandbox:5xx] [sandbox:lost_reply=2]", {}],
    ["[sandbox:rate_limited=3] [ sandbox:unknown] [SANDBOX:unknown]", {}],
  ])("reads %s", (text, expected) => {
    expect(readSteering(text)).toEqual({ ...NOTHING, ...expected });
  });

  it.each(FAILURE_CODES)("knows the failure %s", (code) => {
    expect(readSteering(`[sandbox:${code}]`)).toEqual({ ...NOTHING, failure: code });
  });
});

describe("steer", () => {
  /** The verdicts on a run of write calls of one upload, one per token given. */
  function run(text: string, tokens: string[]): Verdict[] {
    let history: SteeringHistory = NO_HISTORY;
    return tokens.map((token) => {
      const steered = steer(readSteering(text), history, token);
      history = steered.history;
      return steered.verdict;
    });
  }

  const now: Verdict = { kind: "accepted", reply: { kind: "now" } };
  const dropped: Verdict = { kind: "accepted", reply: { kind: "dropped" } };
  const late = (seconds: number): Verdict => ({
    kind: "accepted",
    reply: { kind: "late", seconds },
  });
  const refused: Verdict = { kind: "token_refused" };
  const broken = (nth: number): Verdict => ({ kind: "server_error", nth });
  const failure: Verdict = { kind: "failure", code: "content_flagged" };

  it.each<[string, string[], Verdict[]]>([
    ["nothing asked", ["a", "a"], [now, now]],
    ["[sandbox:slow=90]", ["a", "a"], [late(90), late(90)]],
    ["[sandbox:lost_reply]", ["a", "a"], [dropped, now]],
    ["[sandbox:5xx=2]", ["a", "a", "a"], [broken(1), broken(2), now]],
    ["[sandbox:token_expired]", ["a", "a", "b", "c"], [refused, refused, now, now]],
    ["[sandbox:content_flagged]", ["a", "a"], [failure, failure]],
    [
      "[sandbox:token_expired] [sandbox:5xx=1] [sandbox:lost_reply] [sandbox:slow=5]",
      ["a", "b", "b", "b"],
      [refused, broken(1), dropped, late(5)],
    ],
  ])("judges the calls of %s", (text, tokens, verdicts) => {
    expect(run(text, tokens)).toEqual(verdicts);
  });
});
