import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Api, FeedEvent } from "../../src/cli/api.ts";
import { followEvents } from "../../src/cli/event-feed.ts";
import { inProject } from "../../src/cli/paths.ts";
import { TemporaryProblem } from "../../src/cli/retry.ts";
import { firstIdSince, timeSortedId } from "../../src/core/ids.ts";
import { type LocalService, startLocalService } from "./local-service.ts";

const PATIENCE_MS = 15_000;

async function until<T>(what: string, look: () => T | undefined | false): Promise<T> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(50)) {
    const found = look();
    if (found) return found;
  }
  return assert.fail(`Waited in vain: ${what}.`);
}

interface Arrival {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A server that keeps what it is sent, and answers as it is told. */
class Receiver {
  readonly arrivals: Arrival[] = [];
  readonly answers: [status: number, headers?: Record<string, string>][] = [];
  #port = 0;
  #server = this.#create();

  #create() {
    return createServer(async (request, response) => {
      const body = await text(request);
      this.arrivals.push({ path: request.url ?? "", headers: request.headers, body });
      const [status, headers] = this.answers.shift() ?? [200];
      response.writeHead(status, { connection: "close", ...headers }).end();
    });
  }

  async start(): Promise<void> {
    this.#server = this.#create().listen(this.#port, "localhost");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  url = (path: string): string => `http://localhost:${this.#port}${path}`;

  titled = (path: string, title: string): Arrival[] =>
    this.arrivals.filter((one) => one.path === path && JSON.parse(one.body).data.title === title);
}

const receiver = new Receiver();
let service: LocalService;
const running: ChildProcess[] = [];

before(async () => {
  await receiver.start();
  service = await startLocalService();
});

after(async () => {
  for (const child of running) child.kill("SIGKILL");
  await receiver.stop();
  await service?.stop();
});

function spawnListen(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [inProject("src/cli/akimbo.ts"), "listen", ...args], {
    env: { ...process.env, AKIMBO_URL: service.origin, AKIMBO_TOKEN: service.token, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  const shown = { out: "", error: "" };
  child.stdout.on("data", (data) => {
    shown.out += String(data);
  });
  child.stderr.on("data", (data) => {
    shown.error += String(data);
  });
  return { child, shown, ended: once(child, "close").then(([code]) => code as number) };
}

async function listen(args: string[]) {
  const program = spawnListen(args);
  await until("listen is ready", () => program.shown.out.includes("Ctrl-C ends it."));
  return program;
}

const suggest = (title: string) => service.api("POST", "/suggestions", { title });

function isSignedBy(secret: string, { headers, body }: Arrival): boolean {
  const signed = `${headers["x-webhook-timestamp"]}.${body}`;
  const expected = createHmac("sha256", secret).update(signed).digest("hex");
  return headers["x-webhook-signature"] === expected;
}

test("forwards each event once, as a webhook is sent it", async () => {
  await suggest("Before");
  const { child, shown, ended } = await listen([
    ...["--forward-to", receiver.url("/listen")],
    ...["--type", "suggestion.created", "suggestion.updated"],
  ]);
  const [secret = ""] = /whsec_[0-9a-f]{64}/.exec(shown.out) ?? [];
  const webhook = await service.api("POST", "/webhooks", {
    ...{ url: receiver.url("/webhook"), secret, events: ["suggestion.created"] },
  });
  const account = { platform: "x", sandbox: true, name: "An event of another name" };
  await service.api("POST", "/accounts", account);
  await suggest("One");
  await suggest("Two — “q̈uoted” \u2028 & </script>");

  const both = async (title: string) => {
    const [listened, sent] = await Promise.all(
      ["/listen", "/webhook"].map((path) =>
        until(`${title} at ${path}`, () => receiver.titled(path, title)[0]),
      ),
    );
    assert(listened && sent);
    return [listened, sent] as const;
  };
  for (const title of ["One", "Two — “q̈uoted” \u2028 & </script>"]) {
    const [listened, sent] = await both(title);
    assert.equal(listened.body, sent.body);
    for (const name of ["x-webhook-event", "x-webhook-id", "content-type", "user-agent"]) {
      assert.equal(listened.headers[name], sent.headers[name], name);
    }
    const ageSeconds = Date.now() / 1_000 - Number(listened.headers["x-webhook-timestamp"]);
    assert(Math.abs(ageSeconds) < 60);
    assert(isSignedBy(secret, listened));
    assert(isSignedBy(secret, sent));
  }
  await service.api("DELETE", `/webhooks/${webhook.data.id}`);

  // Two more looks at the feed, which repeats what is young.
  await sleep(3_500);
  const listened = receiver.arrivals.filter(({ path }) => path === "/listen");
  assert.deepEqual(
    listened.map(({ body }) => JSON.parse(body).data.title),
    ["One", "Two — “q̈uoted” \u2028 & </script>"],
  );
  const lines = shown.out.trim().split("\n").slice(2);
  assert.equal(lines.length, 2);
  for (const line of lines) {
    assert.match(line, /^\d\d:\d\d:\d\d {2}suggestion\.created +200 {2}\d+ ms$/);
  }
  child.kill("SIGINT");
  assert.equal(await ended, 130);
});

test("waits for a receiver that is down or asks for a pause, and tells other answers", async () => {
  const given = "a secret of my own";
  const args = ["--forward-to", receiver.url("/moody"), "--type", "suggestion.created"];
  const { child, shown } = await listen([...args, "--secret", given]);
  await receiver.stop();
  await suggest("While it is down");
  await until("listen waits", () => shown.error.includes("Waiting for it"));
  receiver.answers.push([429, { "retry-after": "1" }], [302, { location: "/elsewhere" }], [500]);
  await receiver.start();
  await suggest("After that");
  await until("both are told of", () => /302[\s\S]*500/.test(shown.out));
  const arrivals = receiver.arrivals.filter(({ path }) => path === "/moody");
  assert.deepEqual(
    arrivals.map(({ body }) => JSON.parse(body).data.title),
    ["While it is down", "While it is down", "After that"],
  );
  assert(arrivals.every((arrival) => isSignedBy(given, arrival)));
  assert.match(shown.error, /cannot be reached: .*ECONNREFUSED/);
  child.kill("SIGINT");
});

test("begins where it is told to", async () => {
  const { child } = await listen([
    ...["--forward-to", receiver.url("/since"), "--since", "2020-01-01T00:00:00Z"],
    ...["--type", "suggestion.created"],
  ]);
  await until("the first is there", () => receiver.titled("/since", "Before")[0]);
  child.kill("SIGINT");
});

test("ends at once with what only a person can put right", async () => {
  const wrong: [string[], Record<string, string>, RegExp][] = [
    [["--type", "upload.done"], {}, /There is no event upload\.done/],
    [["--forward-to", "localhost:3000"], {}, /--forward-to must be a URL/],
    [["--since", "2026-12-24T18:00"], {}, /--since must be ISO 8601/],
    [[], { AKIMBO_TOKEN: "kmb_wrong" }, /401 Missing or invalid API token/],
  ];
  await Promise.all(
    wrong.map(async ([args, env, message]) => {
      const { shown, ended } = spawnListen(["--forward-to", receiver.url("/never"), ...args], env);
      assert.equal(await ended, args.length > 0 ? 2 : 1);
      assert.match(shown.error, message);
    }),
  );
});

const START = new Date("2026-12-01T09:00:00Z");
const eventAt = (at: Date): FeedEvent => ({
  id: timeSortedId("evt", at),
  event: "suggestion.created",
  createdAt: at.toISOString(),
  data: {},
});

/** Follows a feed that gives these pages, one after the other. */
async function follow(
  since: Date | null,
  pages: (Awaited<ReturnType<Api["listEvents"]>> | Error)[],
) {
  const asked: (string | null)[] = [];
  const told: string[] = [];
  const listEvents: Api["listEvents"] = async ({ after }) => {
    asked.push(after);
    const page = pages.shift();
    if (!page || page instanceof Error) throw page ?? new Error("No page is left.");
    return page;
  };
  const events = await followEvents(
    { listEvents },
    { since, stopping: new AbortController().signal, tell: (problem) => told.push(problem) },
  );
  return { events, asked, told };
}

test("an older instance repeats events, and none is yielded twice", async () => {
  const [a, b, c] = [eventAt(START), eventAt(START), eventAt(START)];
  const nextCursor = firstIdSince("evt", START);
  const { events, asked } = await follow(START, [
    { data: [a, b], nextCursor, hasMore: false },
    { data: [a, b, c], nextCursor, hasMore: false },
  ]);
  for (const { id } of [a, b, c]) assert.equal((await events.next()).value?.id, id);
  assert.deepEqual(asked, [nextCursor, nextCursor]);
});

test("while nothing comes it is asked less and less often, and often again after an event", async () => {
  const nextCursor = firstIdSince("evt", START);
  const idle = Array.from({ length: 8 }, () => ({ data: [], nextCursor, hasMore: false }));
  const [one, two] = [eventAt(START), eventAt(START)];
  const pages = [
    ...idle,
    { data: [one], nextCursor, hasMore: false },
    ...idle.slice(6),
    { data: [two], nextCursor, hasMore: false },
  ];
  const waits: number[] = [];
  const events = await followEvents(
    { listEvents: async () => pages.shift() ?? assert.fail("No page is left.") },
    {
      ...{ since: START, stopping: new AbortController().signal, tell: () => {} },
      wait: async (ms) => void waits.push(ms),
    },
  );
  for (const { id } of [one, two]) assert.equal((await events.next()).value?.id, id);
  assert.deepEqual(waits.map(Math.round), [
    ...[1_500, 2_250, 3_375, 5_063, 7_594, 10_000, 10_000, 10_000],
    ...[1_500, 2_250, 3_375],
  ]);
});

test("a pause that the server asks for is kept", async () => {
  const one = eventAt(START);
  const { events } = await follow(START, [
    new TemporaryProblem("429", 300),
    { data: [one], nextCursor: one.id, hasMore: false },
  ]);
  const startedAt = performance.now();
  assert.equal((await events.next()).value?.id, one.id);
  assert(performance.now() - startedAt >= 299);
});

test("a server that is down is waited for, and told of once", async () => {
  const one = eventAt(START);
  const down = () => new TemporaryProblem("It is down.", 1);
  const { events, told } = await follow(START, [
    ...[down(), down(), down()],
    { data: [one], nextCursor: one.id, hasMore: false },
  ]);
  assert.equal((await events.next()).value?.id, one.id);
  assert.deepEqual(told, ["It is down."]);
});

test("a page behind which there is more is followed by the next at once", async () => {
  const full = Array.from({ length: 10 }, () => eventAt(START));
  const last = eventAt(START);
  const { events, asked } = await follow(START, [
    { data: full, nextCursor: full.at(-1)?.id ?? "", hasMore: true },
    { data: [last], nextCursor: last.id, hasMore: false },
  ]);
  const startedAt = performance.now();
  for (const { id } of [...full, last]) assert.equal((await events.next()).value?.id, id);
  assert(performance.now() - startedAt < 1_000);
  assert.equal(asked[1], full.at(-1)?.id);
});

test("the present is found on a server whose clock is an hour behind", async () => {
  const serverNow = new Date(Date.now() - 3_600_000);
  const nextCursor = firstIdSince("evt", serverNow);
  const [old, fresh] = [eventAt(serverNow), eventAt(serverNow)];
  let first = true;
  const asked: (string | null)[] = [];
  const events = await followEvents(
    {
      listEvents: async ({ after }) => {
        asked.push(after);
        const hasMore = false;
        if (after && after > nextCursor) return { data: [], nextCursor: after, hasMore };
        if (!first) return { data: [old, fresh], nextCursor, hasMore };
        first = false;
        return { data: [old], nextCursor, hasMore };
      },
    },
    { since: null, stopping: new AbortController().signal, tell: () => {} },
  );
  assert.equal((await events.next()).value?.id, fresh.id);
  assert.deepEqual(asked.slice(1), [null, nextCursor]);
});
