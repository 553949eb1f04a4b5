import { now } from "../../core/clock.ts";

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const BASE32_SORTABLE = "234567abcdefghijklmnopqrstuvwxyz";

export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + BASE32[(value << (5 - bits)) & 31] : text;
}

/** Multicodec numbers. Source: multiformats table. */
const CODECS = { raw: 0x55, record: 0x71 } as const;

/** CIDv1 over SHA-256: `bafkrei…` for bytes, `bafyrei…` for records. */
export function toCid(codec: keyof typeof CODECS, sha256: ArrayBuffer): string {
  const digest = new Uint8Array(sha256);
  return `b${toBase32(new Uint8Array([1, CODECS[codec], 0x12, digest.length, ...digest]))}`;
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** Hashes JSON where the real platform hashes CBOR. */
export async function recordCid(record: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(record));
  return toCid("record", await crypto.subtle.digest("SHA-256", bytes));
}

/** Source: atproto specification, TID. */
export const isTid = (text: string): boolean =>
  /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/.test(text);

export function nextTid(): string {
  const [clockId = 0] = crypto.getRandomValues(new Uint16Array(1));
  let rest = (BigInt(now().getTime()) * 1_000n) << 10n;
  rest |= BigInt(clockId % 1_024);
  let text = "";
  for (let i = 0; i < 13; i++) {
    text = BASE32_SORTABLE.charAt(Number(rest & 31n)) + text;
    rest >>= 5n;
  }
  return text;
}
