import { describe, expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import {
  type AppVariables,
  describeProblem,
  findProblems,
  judgeSteps,
} from "../../../src/features/setup/rules.ts";
import type { AppCheck } from "../../../src/platforms/login.ts";
import { connectorOf } from "../../../src/platforms/registry.ts";

const ORIGIN = "https://akimbo.example";
const NOTHING_SET: AppVariables = { names: [], values: {} };

const setTo = (values: Record<string, string>): AppVariables => ({
  names: Object.keys(values),
  values,
});

async function problemsOf(
  platform: Platform,
  {
    origin = ORIGIN,
    variables = NOTHING_SET,
    check = null,
  }: { origin?: string; variables?: AppVariables; check?: AppCheck | null },
) {
  const connector = connectorOf(platform);
  const steps = await connector.setupSteps();
  const checks = check ? { [platform]: check } : {};
  return findProblems(connector, steps, { origin, variables, checks });
}

describe("problems of a set-up", () => {
  test.each<[Platform, Record<string, string>, string, string]>([
    ["x", { X_CLIENT_ID: "a" }, "keys", "X_CLIENT_SECRET is missing."],
    ["youtube", { YOUTUBE_CLIENT_SECRET: "a" }, "client", "YOUTUBE_CLIENT_ID is missing."],
    [
      "linkedin",
      { LINKEDIN_CLIENT_ID: "a", LINKEDIN_CLIENT_SECRET: "b", LINKEDIN_PAGES_CLIENT_ID: "c" },
      "pages-keys",
      "LINKEDIN_PAGES_CLIENT_SECRET is missing.",
    ],
  ])("%s: half a pair of keys", async (platform, values, step, message) => {
    expect(await problemsOf(platform, { variables: setTo(values) })).toEqual([
      { kind: "half_keys", message, step, isFailure: true },
    ]);
  });

  test.each<[Platform, string, string, string, RegExp]>([
    ["instagram", "INSTAGRAM", "FACEBOOK", "keys", /Instagram app id/],
    ["threads", "THREADS", "FACEBOOK", "keys", /Threads app id/],
    ["linkedin", "LINKEDIN_PAGES", "LINKEDIN", "pages-keys", /app of their own/],
  ])("%s: the key of the other product", async (platform, own, other, step, words) => {
    const values = (id: string) =>
      setTo({
        [`${own}_CLIENT_ID`]: id,
        [`${own}_CLIENT_SECRET`]: "b",
        [`${other}_CLIENT_ID`]: "one",
        [`${other}_CLIENT_SECRET`]: "b",
      });
    const [problem, ...others] = await problemsOf(platform, { variables: values("one") });
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ kind: "foreign_key", step, isFailure: true });
    expect(problem?.message).toMatch(words);
    expect(await problemsOf(platform, { variables: values("two") })).toEqual([]);
  });

  test("of a deployed instance, keys whose values are unknown are not compared", async () => {
    const names = ["FACEBOOK", "INSTAGRAM"].flatMap((one) => [
      `${one}_CLIENT_ID`,
      `${one}_CLIENT_SECRET`,
    ]);
    expect(await problemsOf("instagram", { variables: { names, values: {} } })).toEqual([]);
    expect(await problemsOf("instagram", { variables: { names: null, values: {} } })).toEqual([]);
  });

  test.each<[Platform, string, string | null]>([
    ["tiktok", "http://localhost:8797", "login-kit"],
    ["instagram", "http://akimbo.example", "login"],
    ["threads", "http://127.0.0.1:8797", "settings"],
    ["x", "http://localhost:8797", "authentication"],
    ["x", "http://127.0.0.1:8797", null],
    ["x", "http://akimbo.example", "authentication"],
    ["youtube", "http://localhost:8797", null],
    ["youtube", "http://127.0.0.1:8797", null],
    ["youtube", "http://akimbo.example", "client"],
    ["tiktok", ORIGIN, null],
    ["x", ORIGIN, null],
    ["facebook", "http://localhost:8797", null],
  ])("%s leads people back to %s: mended by %o", async (platform, origin, step) => {
    const problems = await problemsOf(platform, { origin });
    expect(problems.map((one) => [one.kind, one.step, one.isFailure])).toEqual(
      step === null ? [] : [["redirect", step, false]],
    );
  });

  test("an address that is refused is a failure once the app's keys are set", async () => {
    const variables = setTo({ X_CLIENT_ID: "a", X_CLIENT_SECRET: "b" });
    const [problem] = await problemsOf("x", { origin: "http://localhost:8797", variables });
    expect(problem).toMatchObject({ kind: "redirect", isFailure: true });
    expect(problem?.message).toMatch(/to https, or http:\/\/127\.0\.0\.1 alone\. Set PUBLIC_URL/);
  });

  test.each<[Platform, AppCheck, object[]]>([
    [
      "x",
      { verdict: "wrong", message: "No such app." },
      [{ kind: "refused", step: "keys", isFailure: true }],
    ],
    [
      "youtube",
      { verdict: "wrong", message: "No such URL.", isAboutRedirect: true },
      [{ kind: "refused", step: "client", isFailure: true }],
    ],
    [
      "tiktok",
      { verdict: "right", message: "A sandbox.", isUnpublished: true },
      [{ kind: "unpublished", step: "review", isFailure: false }],
    ],
    ["x", { verdict: "right", message: "Known." }, []],
    ["x", { verdict: "unknown", message: "No answer." }, []],
  ])("%s, asked: %o", async (platform, check, expected) => {
    expect(await problemsOf(platform, { check })).toMatchObject(expected);
  });
});

test("a step is done by its variables or a tick, and confirmed by the platform alone", async () => {
  const connector = connectorOf("x");
  const steps = await connector.setupSteps();
  const judged = judgeSteps(connector, steps, {
    origin: ORIGIN,
    variables: setTo({ X_CLIENT_ID: "a", X_CLIENT_SECRET: "b" }),
    checks: {},
    isAudited: false,
    ticks: [
      { platform: "x", step: "app", source: "owner" },
      { platform: "x", step: "no-longer-a-step", source: "owner" },
      { platform: "tiktok", step: "developer", source: "owner" },
    ],
  });
  const states = judged.map(({ number, step, state }) => [number, step.id, state]);
  expect(states).toEqual([
    [1, "developer", "open"],
    [2, "app", "done"],
    [3, "authentication", "open"],
    [4, "keys", "done"],
    [5, "credits", "open"],
  ]);
  const ticks = [{ platform: "x", step: "keys", source: "platform" }] as const;
  const confirmed = (variables: AppVariables) => {
    const facts = { origin: ORIGIN, variables, checks: {}, ticks, isAudited: false };
    return judgeSteps(connector, steps, facts)[3]?.state;
  };
  expect(confirmed(setTo({ X_CLIENT_ID: "a", X_CLIENT_SECRET: "b" }))).toBe("confirmed");
  expect(confirmed(NOTHING_SET)).toBe("open");
  expect(confirmed({ names: null, values: {} })).toBe("confirmed");
});

test("each app's keys are judged by what the platform says of that app", async () => {
  const connector = connectorOf("linkedin");
  const judged = judgeSteps(connector, await connector.setupSteps(), {
    origin: ORIGIN,
    variables: NOTHING_SET,
    checks: {
      linkedin: { verdict: "right", message: "Known." },
      linkedin_pages: { verdict: "wrong", message: "LinkedIn does not know this secret." },
    },
    isAudited: false,
    ticks: [],
  });
  const stateOf = (id: string) => judged.find(({ step }) => step.id === id)?.state;
  expect([stateOf("keys"), stateOf("pages-keys")]).toEqual(["confirmed", "mend"]);
});

test.each([
  ["tiktok", "audit"],
  ["pinterest", "standard"],
  ["facebook", "review"],
  ["youtube", "scopes-review"],
  ["google_business", "scopes-review"],
] as const)("AUDITED_PLATFORMS says of %s that %s is passed", async (platform, id) => {
  const connector = connectorOf(platform);
  const steps = await connector.setupSteps();
  const stateOf = (isAudited: boolean) => {
    const facts = { origin: ORIGIN, variables: NOTHING_SET, checks: {}, ticks: [], isAudited };
    return judgeSteps(connector, steps, facts).find(({ step }) => step.id === id)?.state;
  };
  expect([stateOf(false), stateOf(true)]).toEqual(["open", "done"]);
});

test("a problem names the number and the title of its step", async () => {
  const connector = connectorOf("x");
  const steps = await connector.setupSteps();
  const variables = setTo({ X_CLIENT_ID: "a" });
  const facts = { origin: ORIGIN, variables, checks: {}, isAudited: false };
  const judged = judgeSteps(connector, steps, { ...facts, ticks: [] });
  expect(
    judged.flatMap(({ problems }) => problems.map((one) => describeProblem(one, judged))),
  ).toEqual(["X_CLIENT_SECRET is missing. Step 4 mends it: Set the keys."]);
});
