/**
 * The one clock. In development and tests it can be moved, because the runtime's own cannot be;
 * addresses signed for storage keep real time.
 */
let offsetMs = 0;

export const now = (): Date => new Date(Date.now() + offsetMs);

/** Development only: from now on the service believes it is `seconds` later than it is. */
export function moveClock(seconds: number): void {
  offsetMs = seconds * 1_000;
}

export const clockOffsetSeconds = (): number => offsetMs / 1_000;
