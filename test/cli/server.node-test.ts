import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { groupCpuSeconds, spawnGroup, stopGroup } from "../../src/cli/process-group.ts";
import { requireFreePort, waitUntilAnswering } from "../../src/cli/server.ts";

const RUNNING = new Promise<number>(() => {});

interface Reply {
  status: number;
  body: string;
}

/** A server on loopback that gives these replies to `/health`, the last one for ever. */
async function serve(t: TestContext, replies: readonly Reply[]) {
  let asked = 0;
  const server = createServer((_, answer) => {
    const reply = replies[Math.min(asked++, replies.length - 1)];
    answer.writeHead(reply?.status ?? 500, { "content-type": "application/json" });
    answer.end(reply?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    logPath: "akimbo.log",
    ended: RUNNING,
    activity: () => 0,
  };
}

const json = (status: number, body: object): Reply => ({ status, body: JSON.stringify(body) });

const late = json(503, { status: "late", error: "The cron trigger has stopped." });
const busy = json(503, { success: false, error: "Not yet.", code: "UNAVAILABLE" });

test("a server that answers has started, though it is behind with its work", async (t) => {
  const { status, error } = await waitUntilAnswering(await serve(t, [late]), 0);
  assert.deepEqual([status, error], ["late", "The cron trigger has stopped."]);
});

test("what is no health is waited past", async (t) => {
  const replies = [busy, { status: 200, body: "<html>" }, json(200, { status: "ok" })];
  const { status } = await waitUntilAnswering(await serve(t, replies), 10_000);
  assert.equal(status, "ok");
});

test("a server that does something is waited for, however long it takes", async (t) => {
  const server = await serve(t, [...Array<Reply>(12).fill(busy), json(200, { status: "ok" })]);
  let activity = 0;
  const { status } = await waitUntilAnswering({ ...server, activity: () => activity++ }, 300);
  assert.equal(status, "ok");
});

test("the CPU of a group of processes is known while they run", async (t) => {
  if (process.platform !== "linux") return;
  const child = spawnGroup(process.execPath, ["-e", "for (;;);"], {});
  t.after(() => stopGroup(child));
  const until = Date.now() + 60_000;
  while (groupCpuSeconds(child.pid ?? 0) < 1 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.ok(groupCpuSeconds(child.pid ?? 0) >= 1);
});

test("when waiting ends, the last answer is told", async (t) => {
  await assert.rejects(
    waitUntilAnswering(await serve(t, [busy]), 0),
    /not ready at .*\/health\. Its last answer: HTTP 503 \{.*Not yet\..*\nIts log .*akimbo\.log/,
  );
});

test("silence is told too, and an end at once", async (t) => {
  const server = { ...(await serve(t, [busy])), origin: "http://127.0.0.1:9" };
  await assert.rejects(waitUntilAnswering(server, 0), /It gave no answer at all\./);
  const over = { ...server, ended: Promise.resolve(3) };
  await assert.rejects(waitUntilAnswering(over, 10_000), /The server stopped \(exit code 3\)\./);
});

test("a port that is let go of in a moment is waited for", async (t) => {
  const { origin } = await serve(t, [late]);
  const port = Number(new URL(origin).port);
  await assert.rejects(requireFreePort(port, 0), /already in use/);
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, resolve));
  const { port: leaving } = other.address() as AddressInfo;
  const free = requireFreePort(leaving, 10_000);
  other.close();
  await free;
});
