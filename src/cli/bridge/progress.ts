import type { ServerContext } from "@modelcontextprotocol/server";
import { SECOND } from "../../core/time.ts";
import { formatBytes, type Reporter } from "../progress-bar.ts";

/** Between two notifications of a call. */
const NOTICE_MS = SECOND / 4;

/**
 * Reports to the client of a call how much of its files is in storage, when it asked for that. Progress never falls:
 * the bytes of a part that is sent again count once.
 */
export class CallProgress {
  private readonly call: ServerContext;
  private readonly totalBytes: number;
  private readonly sent = new Map<string, number>();
  private told = -1;
  private toldAt = Number.NEGATIVE_INFINITY;

  constructor(call: ServerContext, totalBytes: number) {
    this.call = call;
    this.totalBytes = totalBytes;
  }

  /** Follows one of the files; what there is to say goes to standard error. */
  reporterOf(path: string): Reporter {
    return {
      say: (text) => console.error(text),
      startBar: () => ({ show: (bytes) => this.note(path, bytes), end: () => {} }),
    };
  }

  /** Notes that a file is in storage, whoever brought it there. */
  finish(path: string, sizeBytes: number): void {
    this.note(path, sizeBytes);
  }

  private note(path: string, bytes: number): void {
    this.sent.set(path, bytes);
    const progress = [...this.sent.values()].reduce((sum, one) => sum + one, 0);
    const isEnd = progress >= this.totalBytes;
    const now = performance.now();
    if (progress <= this.told || (!isEnd && now - this.toldAt < NOTICE_MS)) return;
    [this.told, this.toldAt] = [progress, now];
    const { _meta: meta, notify } = this.call.mcpReq;
    const progressToken = meta?.progressToken;
    if (progressToken === undefined) return;
    const message = `${formatBytes(progress)} of ${formatBytes(this.totalBytes)} are in storage`;
    const params = { progressToken, progress, total: this.totalBytes, message };
    void notify({ method: "notifications/progress", params }).catch(() => {});
  }
}
