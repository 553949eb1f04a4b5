import { expect, test } from "vitest";
import { type Block, expandBlocks } from "../../../src/features/blocks/rules.ts";

const TEXTS: Omit<Block, "mayPublish">[] = [
  { name: "signature", kind: "text", text: "Ada on {platform}" },
  { name: "offer", kind: "text", text: "{product} for {price}\n{block:signature}" },
  {
    name: "utm",
    kind: "utm",
    text: "utm_source={platform}&utm_medium=social&utm_campaign={season}",
  },
  { name: "loop", kind: "text", text: "again {block:loop}" },
];
const BLOCKS: Block[] = TEXTS.map((block) => ({ ...block, mayPublish: block.name !== "loop" }));
const SCOPE = { platform: "bluesky", account: "Ada" };

const CASES: [text: string, expanded: string][] = [
  ["Hello", "Hello"],
  ["Hello {name}", "Hello {name}"],
  ["Hello\n{block:signature}", "Hello\nAda on bluesky"],
  ["{block:Signature }", "Ada on bluesky"],
  ["{block:offer|product=Red shoes|price=20 €}", "Red shoes for 20 €\nAda on bluesky"],
  ["{block:signature|platform=here}", "Ada on here"],
  [
    "Read {block:utm|https://example.com/a?b=c|season=spring}",
    "Read https://example.com/a?b=c&utm_source=bluesky&utm_medium=social&utm_campaign=spring",
  ],
  [
    "{block:utm|url=https://example.com/?utm_source=mine}",
    "https://example.com/?utm_source=mine&utm_medium=social&utm_campaign=",
  ],
];

test.for(CASES)("%j becomes %j", ([text, expanded]) => {
  expect(expandBlocks(text, BLOCKS, SCOPE)).toEqual({
    text: expanded,
    refusals: [],
    isHeld: false,
  });
});

const REFUSED: [text: string, refusal: string][] = [
  ["{block:absent}", 'there is no block named "absent".'],
  ["{block:offer|product=Shoes}", 'the block "offer" needs price'],
  ["{block:utm}", 'the block "utm" needs an address'],
  ["{block:utm|javascript:alert(1)}", 'the block "utm" needs an address'],
  ["{block:signature", "a block is written {block:name}"],
  ["{block:loop}", "more than 3 deep"],
];

test.for(REFUSED)("%j is refused", ([text, refusal]) => {
  expect(expandBlocks(text, BLOCKS, SCOPE).refusals[0]).toContain(refusal);
});

test("a text that its blocks make too long is refused before it is made", () => {
  const long = "{block:b}".repeat(1_000);
  const blocks = [
    { name: "a", kind: "text" as const, text: long, mayPublish: true },
    { name: "b", kind: "text" as const, text: long.replaceAll("b}", "c}"), mayPublish: true },
    { name: "c", kind: "text" as const, text: "x".repeat(10_000), mayPublish: true },
  ];
  const { text, refusals } = expandBlocks("{block:a}", blocks, SCOPE);
  expect(text).toBe("{block:a}");
  expect(refusals[0]).toContain("more than 80000 characters");
});
