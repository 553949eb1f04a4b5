import { createMiddleware } from "hono/factory";
import { joinBytes } from "../core/bytes.ts";
import { AppError, tooLarge } from "../core/errors.ts";
import { Turns } from "../core/turns.ts";
import type { Deps } from "../deps.ts";
import type { AppEnv } from "./env.ts";

/** Source: spec, "Limits": the edge accepts bodies up to 100 MB, chunked ones included. */
const MAX_BODY_BYTES = 100_000_000;

/**
 * This much of a body is read before authentication, and the rest after it. A text post fits, so one round trip
 * authenticates it and looks up its account.
 */
export const SMALL_BODY_BYTES = 64 * 1024;

/**
 * How much of an unread body is discarded before the answer: the runtime closes a connection with unread bytes, and
 * may lose the answer. The local server shares one connection among all callers.
 */
const DROPPED = { bytes: 16_000_000, ms: 2_000 } as const;
const DROPPED_IN_DEVELOPMENT = { bytes: 128_000_000, ms: 10_000 } as const;

/** Each read costs the same CPU, however small. By default, the runtime returns 4 KB or single bytes. */
const READ_BYTES = 64 * 1024;

const TIME_IS_UP = "time is up";

const bodies = new WeakMap<Request, RequestBody>();

/** Returns the request's only body reader: each caller continues where the last one stopped. */
export function bodyOf(request: Request): RequestBody {
  const existing = bodies.get(request);
  if (existing) return existing;
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

  /** Returns null at the end of the body. @throws AppError 413 past 100 MB, 400 when the caller hangs up */
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
    // Ends here, as another read would cost another turn of the runtime.
    if (this.takenBytes === this.declaredBytes) this.isOver = true;
    return bytes;
  }

  /** Null unless the header declares a small body and no byte has been read. */
  async readSmall(): Promise<Uint8Array | null> {
    const isSmall = this.declaredBytes > 0 && this.declaredBytes < SMALL_BODY_BYTES;
    if (!isSmall || this.takenBytes > 0) return null;
    return this.readAll(SMALL_BODY_BYTES, async () => {});
  }

  /**
   * `onLarge` is awaited once before the rest of a large body is read.
   *
   * @param refusal message for a body that is too large
   * @throws AppError 413 past `maxBytes`, and errors of `onLarge`
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
    return joinBytes(chunks);
  }

  private open(source: ReadableStream<Uint8Array>): ByteReader {
    return openReader(source, Math.min(this.declaredBytes || READ_BYTES, READ_BYTES));
  }

  /** @throws AppError 413 when the declared size is larger */
  requireAtMost(maxBytes = MAX_BODY_BYTES, refusal?: string): void {
    if (this.declaredBytes > maxBytes) throw bodyTooLarge(maxBytes, refusal);
  }

  /** Never throws. */
  async drop({ config, wait }: Pick<Deps, "config" | "wait">): Promise<void> {
    if (!this.source || this.isOver || (!this.reader && this.source.locked)) return;
    const { bytes, ms } = config.isDevelopment ? DROPPED_IN_DEVELOPMENT : DROPPED;
    try {
      this.reader ??= this.open(this.source);
      const timeout = wait(ms).then((): typeof TIME_IS_UP => TIME_IS_UP);
      for (let remaining: number = bytes; remaining > 0; ) {
        const read = await Promise.race([this.reader.read(), timeout]);
        if (!read) return;
        if (read === TIME_IS_UP) break;
        remaining -= read.length;
        await this.turns.passed(read.length);
      }
      await this.reader.cancel();
    } catch {}
  }
}

interface ByteReader {
  /** Null at the end of the body. Concurrent calls get the same bytes. */
  read(): Promise<Uint8Array | null>;
  cancel(): Promise<void>;
}

function openReader(source: ReadableStream<Uint8Array>, bytes: number): ByteReader {
  try {
    const reader = source.getReader({ mode: "byob" });
    return oneAtATime(reader, () => reader.readAtLeast(bytes, new Uint8Array(bytes)));
  } catch {
    const reader = source.getReader();
    return oneAtATime(reader, () => reader.read());
  }
}

/** The runtime refuses concurrent reads. */
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

/** Discards the rest of the request's body before the answer leaves. */
export const dropUnreadBody = createMiddleware<AppEnv>(async (c, next) => {
  const body = bodyOf(c.req.raw);
  try {
    body.requireAtMost();
    await next();
  } finally {
    await body.drop(c.var.deps);
  }
});
