import type { ServerContext } from "@modelcontextprotocol/server";
import { SECOND } from "../../core/time.ts";
import { formatBytes, type Reporter } from "../progress-bar.ts";

const NOTICE_MS = SECOND / 4;

/** Progress never falls: bytes that are sent again count once. */
export class CallProgress {
  private readonly call: ServerContext;
  private readonly totalBytes: number;
  private readonly sent = new Map<string, number>();
  private reported = -1;
  private reportedAt = Number.NEGATIVE_INFINITY;

  constructor(call: ServerContext, totalBytes: number) {
    this.call = call;
    this.totalBytes = totalBytes;
  }

  reporterOf(path: string): Reporter {
    return {
      say: (text) => console.error(text),
      startBar: () => ({ show: (bytes) => this.note(path, bytes), end: () => {} }),
    };
  }

  finish(path: string, sizeBytes: number): void {
    this.note(path, sizeBytes);
  }

  private note(path: string, bytes: number): void {
    this.sent.set(path, bytes);
    const progress = [...this.sent.values()].reduce((sum, one) => sum + one, 0);
    const isEnd = progress >= this.totalBytes;
    const now = performance.now();
    if (progress <= this.reported || (!isEnd && now - this.reportedAt < NOTICE_MS)) return;
    [this.reported, this.reportedAt] = [progress, now];
    const { _meta: meta, notify } = this.call.mcpReq;
    const progressToken = meta?.progressToken;
    if (progressToken === undefined) return;
    const message = `${formatBytes(progress)} of ${formatBytes(this.totalBytes)} are in storage`;
    const params = { progressToken, progress, total: this.totalBytes, message };
    void notify({ method: "notifications/progress", params }).catch(() => {});
  }
}
