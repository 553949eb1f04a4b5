export function randomHex(bytes: number): string {
  return toHex(crypto.getRandomValues(new Uint8Array(bytes)));
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function toHex(bytes: ArrayBuffer | Uint8Array): string {
  const view = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  let text = "";
  for (const byte of view) text += HEX[byte];
  return text;
}

export const fromHex = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** Unguessable: the prefix and 16 hex digits. */
export function randomId(prefix: string): string {
  return `${prefix}_${randomHex(8)}`;
}

let lastMs = 0;
let madeInLastMs = 0;

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");

/** Unguessable and sorted by time: 12 hex digits of epoch ms, 4 of a counter, 12 random ones. */
export function timeSortedId(prefix: string, at: Date): string {
  const ms = at.getTime();
  madeInLastMs = ms === lastMs ? madeInLastMs + 1 : 0;
  lastMs = ms;
  return `${prefix}_${hex(ms, 12)}${hex(madeInLastMs % 0x10000, 4)}${randomHex(6)}`;
}

/** Sorts before every `timeSortedId` from `at` on, and after all earlier ones. */
export const firstIdSince = (prefix: string, at: Date): string =>
  `${prefix}_${hex(at.getTime(), 12)}`;
