/** Bytes that pass between two turns. */
const TURN_BYTES = 1_048_576;

/**
 * Shares the runtime's one thread with other work. Bytes that are always there when they are asked for keep it
 * from everything else until their end: new connections, timers, answers of other calls.
 */
export class Turns {
  private passedBytes = 0;

  /** To be awaited after each piece of a large body or file; lets other work in once in a while. */
  async passed(bytes: number): Promise<void> {
    this.passedBytes += bytes;
    if (this.passedBytes < TURN_BYTES) return;
    this.passedBytes = 0;
    await scheduler.wait(0);
  }
}
