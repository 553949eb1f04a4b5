import assert from "node:assert/strict";
import { test } from "node:test";
import { differencesOf, Memory, readAnswer, splitDocuments } from "./answers.ts";
import { blocksOf, readExamples } from "./blocks.ts";

const compare = (documented: string, real: string): string[] => {
  const [expected = null] = readAnswer(documented);
  const [actual = null] = splitDocuments(real);
  return differencesOf(expected, actual);
};

test("documents may follow each other with or without a line between them", () => {
  assert.deepEqual(splitDocuments('{"a":"}{"}{"b":["\\""]}\n[1]\n'), [
    { a: "}{" },
    { b: ['"'] },
    [1],
  ]);
  assert.throws(() => splitDocuments('{"a":1} and words'), /no JSON: {2}and words/);
});

for (const [documented, real, differences] of [
  ['{"id":1,"text":"a"}', '{"text":"b","id":2}', []],
  ['{"id":1}', '{"id":"1"}', ['answer.id is "1", not number']],
  ['{"id":1}', '{"id":null}', ["answer.id is null, not number"]],
  ['{"a":1}', "{}", ["answer.a is documented, and not there"]],
  ["{}", '{"a":1}', ["answer.a is not documented"]],
  ['{"a":1, …}', '{"a":1,"b":2}', []],
  ['{"a":"one…"}', '{"a":"two"}', []],
  ['[{"a":1}]', '[{"a":1},{"a":2}]', ["answer has 2 members, not 1"]],
  ['[{"a":1}, …]', '[{"a":1},{"a":2}]', []],
  ['[{"a":1}, …]', "[]", ["answer has 0 members, not 1"]],
  ['{"status":"failed"}', '{"status":"completed"}', ["answer.status is completed, not failed"]],
  ['{"a":[{"ok":true}]}', '{"a":[{"ok":false}]}', ["answer.a[0].ok is false, not true"]],
] as const) {
  test(`${documented} documents ${real}: ${differences.join() || "yes"}`, () => {
    assert.deepEqual(compare(documented, real), differences);
  });
}

test("what an answer shows is put into later calls by its real value", () => {
  const memory = new Memory();
  const learn = (documented: string, real: string, call: string) =>
    memory.learn(readAnswer(documented)[0] ?? null, splitDocuments(real)[0] ?? null, call);
  learn('{"data":{"uploadId":1}}', '{"data":{"uploadId":31}}', "curl …/api/v1/upload?async=false");
  learn('{"data":{"id":1}}', '{"data":{"id":7}}', 'curl "http://localhost/api/v1/webhooks"');
  learn('{"data":{"id":2}}', '{"data":{"id":9}}', "curl http://localhost/api/v1/pools/1/slots");
  learn('{"url":"http://old/1-abc"}', '{"url":"http://new/2-def"}', "curl …");
  for (const [documented, real] of [
    ["/api/v1/upload/1/approve", "/api/v1/upload/31/approve"],
    ["/webhooks/1?x=1", "/webhooks/7?x=1"],
    ["/pools/3/slots/2", "/pools/3/slots/9"],
    ['{"uploadIds": [1, 12]}', '{"uploadIds": [31, 12]}'],
    ["-F uploadId=1", "-F uploadId=31"],
    ["curl http://old/1-abc -d 1", "curl http://new/2-def -d 1"],
  ] as const) {
    assert.equal(memory.recall(documented), real);
  }
});

const GUIDE = `# Guide

## First

\`\`\`sh
one
\`\`\`

\`\`\`json
{"a":1}
\`\`\`

\`\`\`console
not run
\`\`\`

\`\`\`sh
two
\`\`\`

Words.

\`\`\`json
{"b":2}
\`\`\`
`;

test("an answer belongs to the block right before it", () => {
  assert.deepEqual(readExamples(GUIDE), [
    { heading: "First", script: "one", answer: '{"a":1}' },
    { heading: "First", script: "two", answer: null },
  ]);
  assert.deepEqual(blocksOf(GUIDE, "console"), ["not run"]);
});
