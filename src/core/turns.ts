const TURN_BYTES = 1_048_576;

/** Interrupts long loops over bytes, which would block connections, timers and other calls. */
export class Turns {
  private passedBytes = 0;

  /** To be awaited after each piece of a large body. */
  async passed(bytes: number): Promise<void> {
    this.passedBytes += bytes;
    if (this.passedBytes < TURN_BYTES) return;
    this.passedBytes = 0;
    await scheduler.wait(0);
  }
}
