import { deepEqual, equal, rejects } from "node:assert/strict";
import { test } from "node:test";
import { rollOut, type Steps } from "../../src/cli/rollout.ts";

const OK = { status: "ok", deployment: "old" } as const;
const NEW_OK = { status: "ok", deployment: "new" } as const;

type Answer = Awaited<ReturnType<Steps["askHealth"]>>;

interface Case {
  name: string;
  /** Answers at 0, 10 and 100 %. */
  at: [Answer, Answer, Answer];
  before?: Answer;
  shares: string[];
  refusal?: RegExp;
}

const WHOLE_WAY = ["new@0 old@100", "new@10 old@90", "new@100"];

const CASES: Case[] = [
  { name: "a healthy version", at: [NEW_OK, OK, NEW_OK], shares: WHOLE_WAY },
  {
    name: "one that is down before any call reaches it",
    at: [{ status: "down", deployment: "new", error: "The database fails." }, OK, OK],
    shares: ["new@0 old@100", "old@100"],
    refusal: /The database fails\. The version before answers all calls again/,
  },
  {
    name: "one that answers nothing at a tenth",
    at: [NEW_OK, null, OK],
    shares: ["new@0 old@100", "new@10 old@90", "old@100"],
    refusal: /did not answer/,
  },
  {
    name: "one that is late with all calls",
    at: [NEW_OK, OK, { status: "late", deployment: "new" }],
    shares: [...WHOLE_WAY, "old@100"],
    refusal: /\/health is late/,
  },
  {
    name: "one that Cloudflare leads no call to",
    at: [OK, OK, OK],
    shares: ["new@0 old@100", "old@100"],
    refusal: /did not lead a call/,
  },
  {
    name: "one that is as late as the version before",
    before: { status: "late", deployment: "old" },
    at: [{ status: "late", deployment: "new" }, OK, { status: "late" }],
    shares: WHOLE_WAY,
  },
  {
    name: "one after a version that answered nothing",
    before: null,
    at: [null, null, null],
    shares: ["new@100"],
  },
];

for (const { name, at, before = OK, shares, refusal } of CASES) {
  test(`${name}: ${shares.join(", ")}`, async () => {
    const given: string[] = [];
    let triggers = 0;
    const going = rollOut(
      { next: "new", running: "old", name: "Akimbo 9" },
      {
        say: () => {},
        share: async (parts) => {
          given.push(parts.map(({ id, percentage }) => `${id}@${percentage}`).join(" "));
        },
        deployTriggers: async () => {
          triggers++;
        },
        askHealth: async () => (given.length === 0 ? before : (at[given.length - 1] ?? null)),
        wait: async () => {},
      },
    );
    if (refusal) await rejects(going, refusal);
    else await going;
    deepEqual(given, shares);
    equal(triggers, refusal ? 0 : 1);
  });
}
