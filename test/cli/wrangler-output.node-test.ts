import assert from "node:assert/strict";
import { test } from "node:test";
import { readComplaint } from "../../src/cli/wrangler.ts";
import { createLineSorter } from "../../src/cli/wrangler-output.ts";

function sort(lines: string[]): { logged: string[]; shown: string[] } {
  const logged: string[] = [];
  const shown: string[] = [];
  const take = createLineSorter({
    log: (line) => logged.push(line),
    show: (line) => shown.push(line),
  });
  lines.forEach(take);
  return { logged, shown };
}

test("the Worker's lines are logged, errors shown too, and chatter dropped", () => {
  const { logged, shown } = sort([
    "Your Worker has access to the following bindings:",
    "⎔ Starting local server...",
    '{"event":"request"}',
    "[wrangler:error] Error: boom",
    "    at Object.fetch (worker.ts:1:1)",
    "[wrangler:info] GET /boom 500 Internal Server Error (28ms)",
    "▲ [WARNING] Scheduled Workers are not automatically triggered.",
    "  To manually trigger …",
  ]);
  assert.deepEqual(shown, ["Error: boom", "    at Object.fetch (worker.ts:1:1)"]);
  assert.deepEqual(logged, ['{"event":"request"}', ...shown]);
});

test("colours do not hide an error", () => {
  const { shown } = sort([
    "\x1b[31m✘ \x1b[41;31m[\x1b[41;97mERROR\x1b[41;31m]\x1b[0m \x1b[1mBuild failed\x1b[0m",
    "",
    "  \x1b[31msrc/worker.ts:1\x1b[0m",
  ]);
  assert.deepEqual(shown, ["Build failed", "  src/worker.ts:1"]);
});

test("a complaint is the error without its decoration", () => {
  const stderr =
    "\n✘ [ERROR] A request failed.\n\n  nope [code: 1]\n\n  If you think this is a bug, …\n";
  assert.equal(readComplaint({ stdout: "", stderr }), "A request failed.\nnope [code: 1]");
});

test("being logged out is told with what to do", () => {
  const stderr = "✘ [ERROR] … it's necessary to set a CLOUDFLARE_API_TOKEN environment variable …";
  assert.match(readComplaint({ stdout: "", stderr }), /npx wrangler login/);
});

test("a mail that was not sent is shown to whoever runs the server", () => {
  const mail = { event: "mail.not_sent", to: "ada@example.com", subject: "Hello", text: "A link" };
  const { logged, shown } = sort([JSON.stringify(mail)]);
  assert.deepEqual(logged, [JSON.stringify(mail)]);
  assert.match(shown.join("\n"), /ada@example\.com: Hello\n\nA link/);
});
