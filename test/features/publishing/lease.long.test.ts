import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { boardsOf } from "../../../src/sandbox/pinterest/boards.ts";
import { pinterestSimulator } from "../../../src/sandbox/pinterest/index.ts";
import { connectSandbox, createMember, form, Harness } from "../../support/harness.ts";
import { mp4, openStage, temporary } from "../../support/stage.ts";
import { testPng, verticalMp4 } from "../../support/videos.ts";

/** The deadlines that calls were given, kept in moved time. */
let deadlines: { at: number; aborter: AbortController }[] = [];

beforeEach(() => {
  deadlines = [];
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const aborter = new AbortController();
    deadlines.push({ at: Date.now() + ms, aborter });
    return aborter.signal;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Moves the clock, and ends what should have ended by then. */
function pass(harness: Harness, seconds: number): void {
  harness.advance(seconds);
  for (const { at, aborter } of deadlines) {
    if (at <= Date.now()) aborter.abort(new DOMException("Too slow.", "TimeoutError"));
  }
}

/** Somebody else takes the job. */
const take = (id: number) =>
  env.DB.prepare("UPDATE uploads SET fence = fence + 1 WHERE id = ?").bind(id).run();

/** The bytes as they come, each `pieceBytes` of them only after `before` is done. */
function paced(pieceBytes: number, before: (piece: number) => void | Promise<void>) {
  let bytes = 0;
  let pieces = 0;
  return new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      bytes += chunk.length;
      while (bytes >= (pieces + 1) * pieceBytes) await before(++pieces);
      controller.enqueue(chunk);
    },
  });
}

describe("a video on its way to Pinterest", () => {
  const PIECE = 256 * 1_024;
  const PIECES = 15;

  async function onStage() {
    const stage = await openStage("pinterest");
    const [board] = await boardsOf(stage.name);
    const bytes = new Uint8Array(PIECES * PIECE);
    bytes.set(verticalMp4);
    const fields = { title: "Long", pinterest_board_id: board?.id ?? "", video: mp4(bytes) };
    return { ...stage, id: await stage.post(fields) };
  }

  type Stage = Awaited<ReturnType<typeof onStage>>;

  /** Publishes, with `before` done before each piece that Pinterest's storage takes; the transfers. */
  async function publish(
    { harness }: Stage,
    before: (piece: number, transfer: number) => void | Promise<void>,
  ): Promise<number> {
    let transfers = 0;
    const work = async () => {
      for (let minute = 0; minute < 5; minute++) {
        await harness.drain();
        harness.advance(60);
        await harness.tick();
      }
    };
    await temporary(
      pinterestSimulator,
      (call, answer) => {
        const { body } = call.request;
        if (call.url.pathname !== "/" || !body) return answer();
        const transfer = ++transfers;
        const slow = body.pipeThrough(paced(PIECE, (piece) => before(piece, transfer)));
        call.request = new Request(call.request, { body: slow });
        return answer();
      },
      work,
    );
    return transfers;
  }

  test("lasts as long as its bytes move, beyond the time of a call and the lease", async () => {
    const stage = await onStage();
    expect(await publish(stage, () => pass(stage.harness, 35))).toBe(1);
    expect(await stage.read(stage.id)).toMatchObject({ status: "completed", errorMessage: null });
    expect(await stage.feed()).toMatchObject([{ media: [{ sizeBytes: PIECES * PIECE }] }]);
  }, 30_000);

  test("is given up when it stands still for as long as the lease, and begun anew", async () => {
    const stage = await onStage();
    const transfers = await publish(stage, (piece, transfer) => {
      if (piece === 3 && transfer === 1) pass(stage.harness, 90);
    });
    expect(transfers).toBe(2);
    expect(await stage.read(stage.id)).toMatchObject({ status: "completed", errorMessage: null });
    expect(await stage.feed()).toHaveLength(1);
  }, 30_000);

  test("is given up after ten minutes", async () => {
    const stage = await onStage();
    let last = 0;
    await publish(stage, (piece, transfer) => {
      if (transfer > 1) return;
      pass(stage.harness, 45);
      last = piece;
    });
    expect(last).toBeLessThan(PIECES);
    expect(last).toBeGreaterThan(10);
  }, 30_000);

  test("is broken off when somebody else has taken the job, and writes nothing", async () => {
    const stage = await onStage();
    let last = 0;
    let taken: unknown = null;
    const row = () => env.DB.prepare("SELECT * FROM uploads WHERE id = ?").bind(stage.id).first();
    await temporary(
      pinterestSimulator,
      (call, answer) => {
        const { body } = call.request;
        if (call.url.pathname !== "/" || !body) return answer();
        const slow = body.pipeThrough(
          paced(PIECE, async (piece) => {
            last = piece;
            if (piece !== 3) return;
            await take(stage.id);
            taken = await row();
            pass(stage.harness, 35);
          }),
        );
        call.request = new Request(call.request, { body: slow });
        return answer();
      },
      () => stage.harness.drain(1),
    );
    expect(last).toBeLessThan(8);
    expect(await row()).toEqual(taken);
    const uploadId = stage.id;
    expect(stage.harness.logs).toContainEqual({ event: "publish.lost_lease", uploadId });
  }, 30_000);
});

describe("a file behind a URL", () => {
  const PIECES = 7;

  /** Posts an image whose host takes its time before each of its pieces; how often it was asked for. */
  async function publish(before: (harness: Harness, id: number) => void | Promise<void>) {
    const harness = new Harness();
    const member = await createMember();
    const accountId = await connectSandbox(harness, member);
    let asked = 0;
    let pieces = 0;
    let id = 0;
    harness.network = async (_, init) => {
      asked++;
      const size = Math.ceil(testPng.length / PIECES);
      const body = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            init?.signal?.throwIfAborted();
            const at = pieces++ * size;
            if (at >= testPng.length) return controller.close();
            controller.enqueue(testPng.slice(at, at + size));
            await before(harness, id);
          },
        },
        { highWaterMark: 0 },
      );
      return new Response(body);
    };
    const { token } = member;
    const body = form({ accountId, description: "Slow", photo: "https://example.com/a.png" });
    const answer = await harness.call("POST", "/upload", { token, body });
    id = answer.body.data.uploadId;
    await harness.drain(3);
    const read = await harness.call("GET", `/upload/${id}`, { token });
    return { asked, pieces, record: read.body.data, logs: harness.logs, id };
  }

  test("may take longer than a lease, as long as it comes", async () => {
    const { asked, record } = await publish((harness) => pass(harness, 35));
    expect(asked).toBe(1);
    expect(record).toMatchObject({ status: "completed", errorMessage: null });
  });

  test("is not waited for by a worker that has lost its job", async () => {
    const { pieces, record, logs, id } = await publish(async (harness, id) => {
      await take(id);
      pass(harness, 35);
    });
    expect(pieces).toBeLessThan(PIECES);
    expect(record).toMatchObject({ status: "processing" });
    expect(logs).toContainEqual({ event: "publish.lost_lease", uploadId: id });
  });
});
