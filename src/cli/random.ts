/** A generator of random numbers that can be repeated: the same seed gives the same numbers. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  chance(probability: number): boolean;
  /** Whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
}

/** The generator known as mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    chance: (probability) => next() < probability,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
  };
}
