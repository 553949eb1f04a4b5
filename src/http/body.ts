import { createMiddleware } from "hono/factory";
import { AppError, tooLarge } from "../core/errors.ts";
import { Turns } from "../core/turns.ts";
import type { Deps } from "../deps.ts";
import type { AppEnv } from "./env.ts";

/** Source: spec, "Limits": the edge takes bodies up to 100 MB, chunked ones included. */
const MAX_BODY_BYTES = 100_000_000;

/**
 * Taken in before the caller is known; the rest of a larger body waits for that. A post of text fits,
 * so that it is authenticated in the round trip that looks up its account; a stranger's 64 KB cost
 * less than 1 ms to parse.
 */
export const SMALL_BODY_BYTES = 64 * 1024;

/**
 * Read and dropped of a body that nobody wants, before the answer goes out. A connection with unread
 * bytes is closed by the runtime, and the answer may be lost with it. A form with pictures stays within
 * these bounds; whoever sends more loses the connection. The local server holds one connection for all
 * its callers, where the next one would be lost too: there a file that is too large is dropped to its end.
 */
const DROPPED = { bytes: 16_000_000, ms: 2_000 } as const;
const DROPPED_IN_DEVELOPMENT = { bytes: 128_000_000, ms: 10_000 } as const;

/**
 * Waited for at a time, or the end: the runtime would hand out 4 KB, or each chunk of one byte that
 * somebody sends, and each time costs as much.
 */
const READ_BYTES = 64 * 1024;

const TIME_IS_UP = "time is up";

const bodies = new WeakMap<Request, RequestBody>();

/** The one reader of a request's body: whoever asks reads on where the last one stopped. */
export function bodyOf(request: Request): RequestBody {
  const known = bodies.get(request);
  if (known) return known;
  const body = new RequestBody(request);
  bodies.set(request, body);
  return body;
}

class RequestBody {
  private readonly source: ReadableStream<Uint8Array> | null;
  private readonly declaredBytes: number;
  private reader: ByteReader | null = null;
  private takenBytes = 0;
  private readonly turns = new Turns();
  private isOver = false;

  constructor(request: Request) {
    this.source = request.body;
    this.declaredBytes = Number(request.headers.get("content-length") ?? 0);
  }

  /** The next bytes; null at the end. @throws AppError 413 past 100 MB, 400 when the caller hangs up */
  async read(): Promise<Uint8Array | null> {
    if (this.isOver || !this.source) return null;
    this.reader ??= this.open(this.source);
    const bytes = await this.reader.read().catch(() => {
      this.isOver = true;
      throw new AppError(
        null,
        "The connection ended before the whole body had arrived. Send the call again.",
      );
    });
    if (!bytes) {
      this.isOver = true;
      return null;
    }
    this.takenBytes += bytes.length;
    await this.turns.passed(bytes.length);
    if (this.takenBytes > MAX_BODY_BYTES) throw bodyTooLarge(MAX_BODY_BYTES);
    // Asking for the end would take another turn of the runtime.
    if (this.takenBytes === this.declaredBytes) this.isOver = true;
    return bytes;
  }

  /** The whole body if its header says that it is small, and nothing of it has been read; else null. */
  async readSmall(): Promise<Uint8Array | null> {
    const isSmall = this.declaredBytes > 0 && this.declaredBytes < SMALL_BODY_BYTES;
    if (!isSmall || this.takenBytes > 0) return null;
    return this.readAll(SMALL_BODY_BYTES, async () => {});
  }

  /**
   * The whole body. `onLarge` is awaited once as much as a small one has come, before the rest of it is
   * taken in.
   *
   * @param refusal the message for a body that is too large, in place of one with its size
   * @throws AppError 413 past `maxBytes`, and what `onLarge` throws
   */
  async readAll(
    maxBytes: number,
    onLarge: () => Promise<unknown>,
    refusal?: string,
  ): Promise<Uint8Array<ArrayBuffer>> {
    this.requireAtMost(maxBytes, refusal);
    const chunks: Uint8Array[] = [];
    let isLarge = false;
    for (let chunk = await this.read(); chunk; chunk = await this.read()) {
      if (this.takenBytes > maxBytes) throw bodyTooLarge(maxBytes, refusal);
      chunks.push(chunk);
      if (isLarge || this.takenBytes < SMALL_BODY_BYTES) continue;
      isLarge = true;
      await onLarge();
    }
    const whole = new Uint8Array(this.takenBytes);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }

  private open(source: ReadableStream<Uint8Array>): ByteReader {
    return openReader(source, Math.min(this.declaredBytes || READ_BYTES, READ_BYTES));
  }

  /** @throws AppError 413 when its header says that it is larger */
  requireAtMost(maxBytes = MAX_BODY_BYTES, refusal?: string): void {
    if (this.declaredBytes > maxBytes) throw bodyTooLarge(maxBytes, refusal);
  }

  /** Reads what is left and drops it, within bounds; never throws. */
  async drop({ config, wait }: Pick<Deps, "config" | "wait">): Promise<void> {
    if (!this.source || this.isOver || (!this.reader && this.source.locked)) return;
    const { bytes, ms } = config.isDevelopment ? DROPPED_IN_DEVELOPMENT : DROPPED;
    try {
      this.reader ??= this.open(this.source);
      const timeout = wait(ms).then((): typeof TIME_IS_UP => TIME_IS_UP);
      for (let left: number = bytes; left > 0; ) {
        const read = await Promise.race([this.reader.read(), timeout]);
        if (!read) return;
        if (read === TIME_IS_UP) break;
        left -= read.length;
        await this.turns.passed(read.length);
      }
      await this.reader.cancel();
    } catch {
      // The caller has hung up: there is nothing left to read.
    }
  }
}

interface ByteReader {
  /** The next bytes; null at the end. Two calls at a time are given the same. */
  read(): Promise<Uint8Array | null>;
  cancel(): Promise<void>;
}

/**
 * Reads pieces of so many bytes where the stream can be asked for them: every body that came over the
 * network.
 */
function openReader(source: ReadableStream<Uint8Array>, bytes: number): ByteReader {
  try {
    const reader = source.getReader({ mode: "byob" });
    return oneAtATime(reader, () => reader.readAtLeast(bytes, new Uint8Array(bytes)));
  } catch {
    const reader = source.getReader();
    return oneAtATime(reader, () => reader.read());
  }
}

/** The runtime refuses a read while another one is under way. */
function oneAtATime(
  reader: { cancel(): Promise<void> },
  readNext: () => Promise<{ done: boolean; value?: Uint8Array }>,
): ByteReader {
  let underWay: Promise<Uint8Array | null> | null = null;
  const read = async () => {
    const { done, value } = await readNext();
    underWay = null;
    return done || !value ? null : value;
  };
  return {
    read: () => {
      underWay ??= read();
      return underWay;
    },
    cancel: () => reader.cancel(),
  };
}

const describeBytes = (bytes: number): string =>
  bytes < 1_000_000 ? `${bytes / 1_000} KB` : `${bytes / 1_000_000} MB`;

const bodyTooLarge = (maxBytes: number, refusal?: string) =>
  tooLarge(refusal ?? `The request body is larger than ${describeBytes(maxBytes)}.`);

/** Whatever becomes of a request, its body is over or dropped before the answer goes out. */
export const dropUnreadBody = createMiddleware<AppEnv>(async (c, next) => {
  const body = bodyOf(c.req.raw);
  try {
    body.requireAtMost();
    await next();
  } finally {
    await body.drop(c.var.deps);
  }
});
