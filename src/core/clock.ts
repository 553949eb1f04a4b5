/** The service's only clock; only addresses signed for storage use real time. */
let offsetMs = 0;
/** Epoch ms at which the clock stands still; null while it runs. */
let heldMs: number | null = null;

export const now = (): Date => new Date(heldMs ?? Date.now() + offsetMs);

/** For development: sets how far the clock is ahead of real time. */
export function moveClock(seconds: number): void {
  offsetMs = seconds * 1_000;
}

/** Development only. */
export function holdClock(at: Date): void {
  heldMs = at.getTime();
}

export function releaseClock(): void {
  if (heldMs !== null) offsetMs = heldMs - Date.now();
  heldMs = null;
}

export const clockOffsetSeconds = (): number => offsetMs / 1_000;
