import { addSeconds, SECOND, secondsBetween } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { UploadRow } from "../posts/table.ts";
import { LEASE_SECONDS } from "./rules.ts";
import { renewLease } from "./save.ts";

/** A platform call has to end this long before the lease. */
const LEASE_SLACK_SECONDS = 10;
/** A transfer renews a lease that is older than this. */
const RENEW_AFTER_SECONDS = 30;
/** Bytes between two checks. */
const PIECE_BYTES = 256 * 1_024;

interface Transfer {
  /** Aborted when bytes stop moving, or another run has the job. */
  signal: AbortSignal;
  /** @throws when another run has the job, or the transfer took too long */
  moved(): Promise<void>;
}

export class Lease {
  until: Date;
  private readonly deps: Deps;
  private readonly upload: UploadRow;

  constructor(deps: Deps, upload: UploadRow) {
    this.deps = deps;
    this.upload = upload;
    this.until = upload.leaseUntil ?? new Date(0);
  }

  msLeft = (): number => msUntil(this.until, this.deps) - LEASE_SLACK_SECONDS * SECOND;

  /** Renews the lease while bytes move. @throws when the lease is about to end */
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

export function endsIn(ms: number): AbortSignal {
  if (ms <= 0) throw new Error("Too late to make the call.");
  return AbortSignal.timeout(ms);
}

/** `stop` cancels the unread bytes. */
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
