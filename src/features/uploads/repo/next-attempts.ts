/** A failed attempt to be followed by another. `isHeld`: only after an approval. */
export interface NextAttempt {
  id: number;
  /** The one that failed. */
  attempt: number;
  isHeld: boolean;
  /** It goes out before the time that was planned for it. */
  isEarly: boolean;
}

/** The last value of each: how many places in the month it and those before it take. */
export function asJson(attempts: readonly NextAttempt[]): string {
  let places = 0;
  return JSON.stringify(
    attempts.map(({ id, attempt, isHeld, isEarly }) => {
      if (!isHeld) places++;
      return [id, attempt, +isHeld, +isEarly, places];
    }),
  );
}
