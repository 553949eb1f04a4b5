import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type { Config } from "../../src/config.ts";
import { createDeps } from "../../src/deps.ts";
import {
  type Answer,
  connectSandbox,
  createMember,
  Harness,
  type Member,
} from "../support/harness.ts";
import { CONTENT_TYPE, END, field, file, join, part } from "../support/multipart.ts";

const UNKNOWN = `kmb_${"f".repeat(64)}`;
const KB = 1_024;
const CHUNK = new Uint8Array(16 * KB).fill(120);

let member: Member;
let accountId: string;
beforeAll(async () => {
  member = await createMember();
  accountId = await connectSandbox(new Harness(), member);
});

/** `patient`: waits for whoever is slow. Otherwise time is up at once where it is limited. */
const serve = ({ isPatient = true, ...config }: Partial<Config> & { isPatient?: boolean } = {}) =>
  new Harness({
    config: { ...createDeps(env).config, ...config },
    ...(isPatient ? { wait: () => new Promise(() => {}) } : {}),
  });

/** A body that comes in pieces, and what has been taken of it. */
class Sender {
  takenBytes = 0;
  isDone = false;
  readonly body: ReadableStream<Uint8Array>;

  /**
   * @param filler bytes after `head`; `stalls`: then nothing comes, and no end either; `pause`: is
   * waited for before each piece after the first
   */
  constructor(
    head: Uint8Array | string,
    filler = 0,
    { stalls = false, pause }: { stalls?: boolean; pause?: () => Promise<void> } = {},
  ) {
    let left = filler;
    let isFirst = head.length > 0;
    const source = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          if (!isFirst) await pause?.();
          const next = isFirst ? join(head) : CHUNK.subarray(0, Math.min(left, CHUNK.length));
          if (!isFirst) left -= next.length;
          isFirst = false;
          this.takenBytes += next.length;
          if (next.length > 0) controller.enqueue(next);
          else if (stalls) await new Promise(() => {});
          else {
            this.isDone = true;
            controller.close();
          }
        },
      },
      { highWaterMark: 0 },
    );
    // A stream of the runtime's own, as a body from the network is.
    this.body = source.pipeThrough(new IdentityTransformStream());
  }
}

interface Call {
  method?: string;
  path?: string;
  token?: string;
  type?: string;
  address?: string;
}

const send = (
  harness: Harness,
  { body }: Pick<Sender, "body">,
  { method = "POST", path = "/upload", token = member.token, type, address }: Call = {},
): Promise<Answer> =>
  harness.call(method, path, {
    token,
    body,
    headers: {
      "content-type": type ?? CONTENT_TYPE,
      ...(address ? { "cf-connecting-ip": address } : {}),
    },
  });

const MANY_PARTS = join(...Array<Uint8Array>(100).fill(field("x", "y".repeat(5_000))));
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const photo = (bytes: number) => join(PNG, new Uint8Array(bytes));
const JSON_TYPE = "application/json";

describe("what is refused is read to its end before the answer goes out", () => {
  test.each<[string, number, string | Uint8Array, Call]>([
    ["a form of too many parts", 400, MANY_PARTS, {}],
    ["a malformed form", 400, part([`X-Filler: ${"x".repeat(100_000)}`], "1"), {}],
    ["a form of somebody unknown", 401, "x", { token: UNKNOWN }],
    ["a form of no token", 401, "x", { token: "no token" }],
    ["a form of another type", 415, "x", { type: "text/plain" }],
    ["a bulk form", 400, MANY_PARTS, { path: "/upload/bulk" }],
    ["a form that is only checked", 400, MANY_PARTS, { path: "/upload/validate" }],
    ["JSON over 1 MB", 413, "x", { path: "/tokens", type: JSON_TYPE }],
    ["JSON of somebody unknown", 401, "x", { path: "/tokens", type: JSON_TYPE, token: UNKNOWN }],
    ["JSON to change", 413, "x", { path: "/upload/1", method: "PATCH", type: JSON_TYPE }],
    ["what nothing takes", 404, "x", { path: "/nowhere" }],
    ["what another method takes", 405, "x", { method: "PUT" }],
    ["the body of a DELETE", 404, "x", { path: "/accounts/acc_0", method: "DELETE" }],
  ])("%s (%i)", async (_, status, head, call) => {
    const sender = new Sender(head, 3_000_000);
    const answer = await send(serve(), sender, call);
    expect([answer.status, sender.isDone]).toEqual([status, true]);
  });

  test("also the body of a page that takes none", async () => {
    const sender = new Sender("x", 3_000_000);
    const answer = await serve().request("/favicon.ico", { method: "POST", body: sender.body });
    expect([answer.status, sender.isDone]).toEqual([405, true]);
  });

  test("also what comes only after the refusal, while more is waited for", async () => {
    const asked = Promise.withResolvers<void>();
    const dropping = Promise.withResolvers<void>();
    const harness = new Harness({
      wait: () => {
        dropping.resolve();
        return new Promise(() => {});
      },
      media: {
        put: async () => {
          await asked.promise;
          throw new Error("Storage is out of order.");
        },
      } as unknown as R2Bucket,
    });
    const pause = () => {
      asked.resolve();
      return dropping.promise;
    };
    const head = join(file("photo", photo(60 * KB)), field("title", "x".repeat(10 * KB)));
    const sender = new Sender(head, 3_000_000, { pause });
    const answer = await send(harness, sender);
    expect([answer.status, sender.isDone]).toEqual([500, true]);
  });

  test("but for what is more than 16 MB", async () => {
    const sender = new Sender("x", 40_000_000);
    const answer = await send(serve({ isDevelopment: false }), sender, { path: "/nowhere" });
    expect(answer.status).toBe(404);
    expect(sender.takenBytes).toBeGreaterThanOrEqual(16_000_000);
    expect(sender.takenBytes).toBeLessThanOrEqual(16_100_000);
  });

  test("to the end of a file that is too large on the local server", async () => {
    const sender = new Sender("x", 101_000_000);
    const answer = await send(serve(), sender, { path: "/nowhere" });
    expect([answer.status, sender.isDone]).toEqual([404, true]);
  });

  test("and for what does not come in time", async () => {
    const sender = new Sender(MANY_PARTS, 0, { stalls: true });
    const answer = await send(serve({ isPatient: false }), sender);
    expect(answer.status).toBe(400);
  });
});

describe("before the caller is known", () => {
  /** Nothing comes after the first 65 KB: whoever wants more does not answer. */
  const small = () => new Sender("", 65 * KB, { stalls: true });
  const nothing = () => new Sender("", 0, { stalls: true });

  test.each<[string, Call]>([
    ["fields", {}],
    ["fields of a batch", { path: "/upload/bulk" }],
    ["fields that are only checked", { path: "/upload/validate" }],
    ["JSON", { path: "/tokens", type: JSON_TYPE }],
  ])("no more than 64 KB of %s are taken in", async (_, call) => {
    const harness = serve({ isPatient: false });
    expect((await send(harness, small(), { ...call, token: UNKNOWN })).status).toBe(401);
  });

  test("a preamble is no way to send more", async () => {
    const sender = new Sender("", 90_000_000);
    const harness = serve({ isPatient: false, isDevelopment: false });
    expect((await send(harness, sender, { token: UNKNOWN })).status).toBe(401);
    expect(sender.takenBytes).toBeLessThanOrEqual(128 * KB);
  });

  test("nothing is taken in of an address whose window is full", async () => {
    const rateLimits = { "upload-create": { limit: 1, windowSeconds: 60 } };
    const harness = serve({ isPatient: false, rateLimits });
    const address = "198.19.0.1";
    const text = join(field("accountId", accountId), field("description", "Text"), END);
    expect((await send(harness, new Sender(text), { address })).status).toBe(200);
    expect((await send(harness, small(), { address })).status).toBe(429);
    expect((await send(harness, nothing(), { address })).status).toBe(429);
  });

  test("nothing is taken in from the eleventh token of an address on", async () => {
    const harness = serve({ isPatient: false, rateLimits: {} });
    const address = "198.19.0.2";
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) {
      const token = `kmb_${i.toString(16).padStart(64, "c")}`;
      const sender = i < 10 ? small() : nothing();
      statuses.push((await send(harness, sender, { address, token })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  });
});

test.each<[string, Call]>([
  ["a form", {}],
  ["JSON", { path: "/tokens", type: JSON_TYPE }],
])("%s whose sender hangs up is no crash of ours", async (_, call) => {
  const harness = serve();
  const head = join(field("accountId", accountId), part(['X: "y"'], "x"));
  let isFirst = true;
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (!isFirst) return controller.error(new Error("Network connection lost."));
      isFirst = false;
      controller.enqueue(head);
    },
  });
  const body = broken.pipeThrough(new IdentityTransformStream());
  const answer = await send(harness, { body }, call);
  expect(answer).toMatchObject({ status: 400, body: { success: false } });
  expect(harness.logs).not.toContainEqual(expect.objectContaining({ event: "crash" }));
});

describe("a form", () => {
  test("of many bytes leaves time for other work while it is read", async () => {
    const megabytes = 24;
    const head = join(field("accounts", JSON.stringify([accountId])), file("video", "x"));
    let left = megabytes;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(head),
      // Bytes that are there as soon as they are asked for.
      pull: (controller) =>
        left-- > 0 ? controller.enqueue(new Uint8Array(1_000_000)) : controller.close(),
    });
    let isOver = false;
    let turns = 0;
    const otherWork = async () => {
      for (; !isOver; turns++) await scheduler.wait(0);
    };
    const working = otherWork();
    await send(serve(), { body }, { path: "/upload/validate" });
    isOver = true;
    await working;
    expect(turns).toBeGreaterThan(megabytes / 2);
  });

  const post = (...more: (Uint8Array | string)[]) =>
    join(
      field("accountId", accountId),
      field("status", "draft"),
      field("description", "Text"),
      ...more,
      END,
    );
  /** Fields that are not stored: a stored text has a bound of its own. */
  const texts = (count: number) => range(count, () => field("overrides", "x".repeat(240_000)));

  test.each<[string, number, () => Uint8Array<ArrayBuffer>]>([
    ["64 parts", 200, () => post(...range(61, () => field("x", "1")))],
    ["65 parts", 400, () => post(...range(62, () => field("x", "1")))],
    ["fields of 960 KB together", 200, () => post(...texts(4))],
    ["fields of 1.2 MB together", 413, () => post(...texts(5))],
    ["a preamble of 1 MB", 413, () => join("x".repeat(1_000_001), "\r\n", post())],
    ["1 MB after its end", 413, () => join(post(), "x".repeat(1_000_001))],
    ["a part of 1 MB without a name", 413, () => post(part(["X: y"], "x".repeat(1_000_001)))],
    ["a file of 1.9 MB", 200, () => post(file("photo", photo(1_900_000)))],
    ["a file and fields of 960 KB", 200, () => post(file("photo", photo(1_900_000)), ...texts(4))],
    ["a file and fields of 1.2 MB", 413, () => post(file("photo", photo(9)), ...texts(5))],
  ])("of %s is answered %i", async (_, status, body) => {
    const answer = await serve().call("POST", "/upload", {
      token: member.token,
      body: body(),
      headers: { "content-type": CONTENT_TYPE },
    });
    expect([answer.status, answer.body.success]).toEqual([status, status === 200]);
  });
});

const range = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
