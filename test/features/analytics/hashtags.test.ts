import { expect, test } from "vitest";
import type { Counters } from "../../../src/features/analytics/rules/counters.ts";
import { suggestHashtags } from "../../../src/features/analytics/rules/hashtags.ts";
import { storeSync } from "../../../src/features/analytics/store.ts";
import { setTeamPlan } from "../../../src/features/plans/repo.ts";
import { callTool } from "../../support/agent.ts";
import {
  connectSandbox,
  createMember,
  createToken,
  Harness,
  type Member,
} from "../../support/harness.ts";
import { ALL } from "./readings.ts";

test.each<[string, string, string[], string[], string[]]>([
  ["those in the text first", "Hello #World of bread", [], [], ["#World", "#hello", "#bread"]],
  [
    "own ones that fit",
    "Fresh bread",
    ["#breadlovers", "#cats", "#breadlovers"],
    [],
    ["#breadlovers", "#fresh", "#bread", "#cats"],
  ],
  ["none that is hidden", "Bread #spam", ["#spam"], ["spam"], ["#bread"]],
  ["no words that say nothing", "This is about what would be", [], [], []],
  ["other scripts", "Свежий хлеб", ["#хлеб"], [], ["#хлеб", "#свежий"]],
  ["no addresses and mentions", "See https://bread.example/fresh @baker", [], [], []],
])("suggests %s", (_, text, texts, banned, expected) => {
  const suggestions = suggestHashtags(text, { texts, measured: [] }, { banned, limit: 10 });
  expect(suggestions.map(({ hashtag }) => hashtag)).toEqual(expected);
});

const use = (tag: string, posts: number, views: number, engagement = 0) => ({
  tag,
  posts,
  views,
  engagement,
});

test.each<[string, ReturnType<typeof use>[], string[], string[]]>([
  [
    "more views per post go first, whatever the total",
    [use("often", 100, 5_000), use("good", 10, 5_000)],
    [],
    ["#good", "#often"],
  ],
  [
    "one lucky post does not go before steady ones",
    [use("lucky", 1, 1_000), use("steady", 20, 16_000)],
    [],
    ["#steady", "#lucky"],
  ],
  [
    "engagement decides where views are not measured",
    [use("seen", 5, 0, 10), use("loved", 5, 0, 50)],
    [],
    ["#loved", "#seen"],
  ],
  [
    "what was measured goes before what was only used",
    [use("measured", 2, 10)],
    ["#used", "#used #measured"],
    ["#measured", "#used"],
  ],
])("of own hashtags, %s", (_, measured, texts, expected) => {
  const suggestions = suggestHashtags("", { texts, measured }, { banned: [], limit: 10 });
  expect(suggestions.map(({ hashtag }) => hashtag)).toEqual(expected);
});

test("a hashtag that fits the text goes before one that did better", () => {
  const measured = [use("cats", 5, 900), use("breadlovers", 5, 10)];
  const suggestions = suggestHashtags(
    "Fresh bread",
    { texts: [], measured },
    { banned: [], limit: 10 },
  );
  expect(suggestions.map(({ hashtag, reason }) => `${hashtag} ${reason}`)).toEqual([
    "#breadlovers best_performing",
    "#fresh words",
    "#bread words",
    "#cats best_performing",
  ]);
});

const AT = Date.parse("2026-12-01T03:00:00Z");

async function sync(
  harness: Harness,
  { teamId }: Member,
  accountId: string,
  posts: [string, number][],
) {
  await storeSync(harness.deps, {
    teamId,
    accountId,
    measures: ALL,
    errors: [],
    uploadIds: new Map(),
    rehearsed: [],
    reading: {
      at: AT,
      followers: null,
      posts: posts.map(([tag, views], i) => ({
        id: `${accountId}-${i}`,
        at: AT,
        publishedAt: AT - 1_000,
        url: null,
        text: `A post #${tag}`,
        hashtags: [tag],
        counters: [views, 0, 0, 0] as Counters,
      })),
    },
  });
}

test("learns from what was collected of an account, of all accounts on the platform, and of no other team", async () => {
  const harness = new Harness();
  const member = await createMember();
  const one = await connectSandbox(harness, member, "One");
  const two = await connectSandbox(harness, member, "Two");
  const elsewhere = await connectSandbox(harness, member, "Three", "x");
  const stranger = await createMember();
  const theirs = await connectSandbox(harness, stranger, "Theirs");
  await sync(harness, member, one, [
    ["low", 10],
    ["low", 10],
    ["high", 500],
    ["high", 700],
  ]);
  await sync(harness, member, two, [
    ["low", 9_000],
    ["low", 9_000],
  ]);
  await sync(harness, member, elsewhere, [["other", 99_000]]);
  await sync(harness, stranger, theirs, [["secret", 99_000]]);
  const suggest = async (args: object, token = member.token) => {
    const question = { text: "Hm", platform: "bluesky", ...args };
    const { structuredContent } = await callTool(harness, token, "suggest_hashtags", question);
    return structuredContent.hashtags.map(({ hashtag }: { hashtag: string }) => hashtag);
  };
  expect(await suggest({ accountId: one })).toEqual(["#high", "#low"]);
  expect(await suggest({})).toEqual(["#low", "#high"]);
  expect(await suggest({ limit: 1 })).toEqual(["#low"]);

  const blind = await createToken(member.userId, { scopes: ["posts:read"] });
  expect(await suggest({}, blind)).toEqual([]);
  const { teamId } = member;
  await harness.deps.db.runAll(setTeamPlan(harness.deps, { teamId, plan: "basic" }));
  expect(await suggest({})).toEqual([]);
});
