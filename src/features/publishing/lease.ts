import { addSeconds, SECOND, secondsBetween } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { LEASE_SECONDS } from "../posts/rules.ts";
import type { UploadRow } from "../posts/table.ts";
import { renewLease } from "./save.ts";

/** Rest of the lease by which a platform call must have ended, in seconds. */
const LEASE_SLACK_SECONDS = 10;
/** A lease of this age, in seconds, is renewed as bytes move: what then follows has most of it. */
const RENEW_AFTER_SECONDS = 30;
/** Bytes that pass between two looks at the lease. */
const PIECE_BYTES = 256 * 1_024;

/** A transfer of bytes that may outlast the lease of its job. */
interface Transfer {
  /** Aborted when nothing moved for as long as the lease lasts, and when the job is no longer ours. */
  signal: AbortSignal;
  /**
   * To be called, and waited for, as bytes move.
   *
   * @throws when the transfer has to end: the job is somebody else's by now, or it took too long
   */
  moved(): Promise<void>;
}

/** The lease of a job in our hands, for as long as a step of it lasts. */
export class Lease {
  /** When it ends, as we last wrote it. */
  until: Date;
  private readonly deps: Deps;
  private readonly upload: UploadRow;

  constructor(deps: Deps, upload: UploadRow) {
    this.deps = deps;
    this.upload = upload;
    this.until = upload.leaseUntil ?? new Date(0);
  }

  /** Milliseconds that a call may last. */
  msLeft = (): number => msUntil(this.until, this.deps) - LEASE_SLACK_SECONDS * SECOND;

  /**
   * Begins a transfer of at most `maxSeconds`, which keeps the lease as long as it moves.
   *
   * @throws when there is no time left
   */
  begin(maxSeconds: number): Transfer {
    const { deps } = this;
    const aborter = new AbortController();
    const endsAt = addSeconds(deps.now(), maxSeconds);
    const keepWatch = () => {
      const watched = this.until;
      const end = endsIn(this.msLeft());
      end.addEventListener("abort", () => {
        if (this.until === watched) aborter.abort(end.reason);
      });
    };
    keepWatch();
    const moved = async () => {
      aborter.signal.throwIfAborted();
      const now = deps.now();
      if (now >= endsAt) throw new Error(`The transfer took longer than ${maxSeconds} seconds.`);
      if (secondsBetween(now, this.until) > LEASE_SECONDS - RENEW_AFTER_SECONDS) return;
      this.until = await renewLease(deps, this.upload);
      keepWatch();
    };
    return {
      signal: aborter.signal,
      moved: () =>
        moved().catch((error) => {
          aborter.abort(error);
          throw error;
        }),
    };
  }
}

export const msUntil = (end: Date, { now }: Pick<Deps, "now">): number =>
  end.getTime() - now().getTime();

/** @throws when there is no time left */
export function endsIn(ms: number): AbortSignal {
  if (ms <= 0) throw new Error("Too late to make the call.");
  return AbortSignal.timeout(ms);
}

/**
 * The bytes of a file on their way through a transfer, read as they are asked for. `stop` lets go of what
 * has not been read.
 */
export function throughTransfer(
  data: ReadableStream,
  { moved }: Pick<Transfer, "moved">,
): { body: ReadableStream; stop(): void } {
  const reader = data.getReader({ mode: "byob" });
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await moved();
        const { value, done } = await reader.readAtLeast(PIECE_BYTES, new Uint8Array(PIECE_BYTES));
        if (value && value.length > 0) controller.enqueue(value);
        if (done || !value) controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { body, stop: () => void reader.cancel().catch(() => {}) };
}
