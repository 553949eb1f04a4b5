/**
 * The one clock. In development and tests it can be moved and held, because the runtime's own cannot be;
 * addresses signed for storage keep real time.
 */
let offsetMs = 0;
/** The instant at which it is held, in ms; null while it runs. */
let heldMs: number | null = null;

export const now = (): Date => new Date(heldMs ?? Date.now() + offsetMs);

/** Development only: from now on the service believes it is `seconds` later than it is. */
export function moveClock(seconds: number): void {
  offsetMs = seconds * 1_000;
}

/** Development only: the clock stands still at this instant, until it is held at another one or let go. */
export function holdClock(at: Date): void {
  heldMs = at.getTime();
}

/** Lets a held clock run on from where it stands. */
export function releaseClock(): void {
  if (heldMs !== null) offsetMs = heldMs - Date.now();
  heldMs = null;
}

export const clockOffsetSeconds = (): number => offsetMs / 1_000;
