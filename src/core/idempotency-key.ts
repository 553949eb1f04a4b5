/** Longest Idempotency-Key that is taken. Source: spec, "Conventions". */
export const MAX_KEY_CHARACTERS = 255;
