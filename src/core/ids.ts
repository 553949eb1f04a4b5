/** `bytes` random bytes as lowercase hex. */
export function randomHex(bytes: number): string {
  return toHex(crypto.getRandomValues(new Uint8Array(bytes)));
}

export function toHex(bytes: ArrayBuffer | Uint8Array): string {
  const view = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  return Array.from(view, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** An id that nobody can guess: `acc_3f…` (16 hex digits). */
export function randomId(prefix: string): string {
  return `${prefix}_${randomHex(8)}`;
}

/** An id that sorts by time and that nobody can guess: `evt_` + 12 hex digits of ms + 16 random. */
export function timeSortedId(prefix: string, at: Date): string {
  return `${prefix}_${at.getTime().toString(16).padStart(12, "0")}${randomHex(8)}`;
}
