import assert from "node:assert/strict";
import { test } from "node:test";
import { formatReport, type Progress } from "../../src/cli/demo-report.ts";
import { formatTable } from "../../src/cli/table.ts";

const PHOTO: Progress = {
  account: "bluesky (Demo)",
  what: "photo",
  status: "completed",
  url: "http://localhost:8797/sandbox/1",
  error: null,
};
const TEXT: Progress = { ...PHOTO, what: "text", status: "failed", url: null, error: "Too loud." };

test("columns are as wide as their widest cell, and nothing trails", () => {
  assert.equal(
    formatTable(
      ["A", "Long head"],
      [
        ["wide cell", "x"],
        ["", ""],
      ],
    ),
    ["A          Long head", "─────────  ─────────", "wide cell  x", ""].join("\n"),
  );
});

test("the report shows every post, the errors, and the time it took", () => {
  assert.equal(
    formatReport([PHOTO, TEXT], 2.345),
    [
      "Account         Kind   Status     URL",
      "──────────────  ─────  ─────────  ───────────────────────────────",
      "bluesky (Demo)  photo  completed  http://localhost:8797/sandbox/1",
      "bluesky (Demo)  text   failed     –",
      "",
      "✗ bluesky (Demo), text: Too loud.",
      "1 of 2 published in 2.3 s.",
    ].join("\n"),
  );
});
