import assert from "node:assert/strict";
import { test } from "node:test";
import type { Upload } from "../../src/cli/api.ts";
import { formatUploads, hasFailed } from "../../src/cli/upload-table.ts";

const part = (position: number, status: string, errorMessage: string | null = null) => ({
  position,
  status,
  errorMessage,
  failure: null,
});

const upload = (fields: object) =>
  ({
    ...{ id: 1, platform: "bluesky", connectedAccount: null, description: "Hello", title: null },
    ...{ status: "completed", metadata: { shareUrl: "https://bsky.test/1" }, unpublishedAt: null },
    ...fields,
  }) as unknown as Upload;

for (const [what, fields, failed, result] of [
  ["a published post", {}, false, /bsky\.test\/1$/],
  ["its parts are out", { parts: [part(1, "completed")] }, false, /bsky\.test\/1$/],
  [
    "a part failed",
    { parts: [part(1, "completed"), part(2, "failed", "No.")] },
    true,
    /bsky\.test\/1, but part 2 failed: No\.$/,
  ],
  [
    "a part failed, and the post was taken down",
    { parts: [part(1, "failed", "No.")], unpublishedAt: "2026-12-01T09:00:00.000Z" },
    false,
    /taken down at/,
  ],
  ["a post that failed", { status: "failed", errorMessage: "No." }, true, /No\.$/],
] as const) {
  test(`the table of posts: ${what}`, () => {
    assert.equal(hasFailed(upload(fields)), failed);
    assert.match(formatUploads([upload(fields)]).trimEnd(), result);
  });
}
