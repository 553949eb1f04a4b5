import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CHUNK_HEADERS } from "./server-options.ts";

/** One time that a chunk was sent. */
interface Sending {
  offset: number;
  length: number;
  beganAt: number;
  /** Null for one that was cut off. */
  storedAt: number | null;
}

/** Counts the chunks that the simulated YouTube is sent, in the harness's process: that one is never killed. */
export class ChunkWatch {
  readonly sendings: Sending[] = [];
  private awaited: { offset: number; resolve: () => void } | null = null;
  private readonly server = createServer((request, response) => this.note(request, response));

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Resolves when a chunk at `offset` or behind it begins to come in. */
  begun(offset: number): Promise<void> {
    return new Promise((resolve) => {
      this.awaited = { offset, resolve };
    });
  }

  /** Bytes of all sendings; of those cut off, all that were announced. */
  get sentBytes(): number {
    return this.sendings.reduce((sum, { length }) => sum + length, 0);
  }

  /** Bytes from the beginning of the file to the last that was stored. */
  get storedBytes(): number {
    const last = this.sendings.findLast(({ storedAt }) => storedAt !== null);
    return last ? last.offset + last.length : 0;
  }

  /** How long a chunk takes, on average, in ms. */
  get chunkMs(): number {
    const times = this.sendings.flatMap(({ beganAt, storedAt }) =>
      storedAt === null ? [] : [storedAt - beganAt],
    );
    return times.reduce((sum, ms) => sum + ms, 0) / Math.max(1, times.length);
  }

  private note({ headers }: IncomingMessage, response: ServerResponse): void {
    const { [CHUNK_HEADERS.range]: range, [CHUNK_HEADERS.state]: state } = headers;
    const [offset = 0, last = 0] = (String(range).match(/\d+/g) ?? []).map(Number);
    const at = performance.now();
    if (state === "stored") {
      const sending = this.sendings.findLast((one) => one.offset === offset);
      if (sending) sending.storedAt = at;
    } else {
      this.sendings.push({ offset, length: last - offset + 1, beganAt: at, storedAt: null });
      if (this.awaited && offset >= this.awaited.offset) this.awaited.resolve();
    }
    response.end();
  }
}
