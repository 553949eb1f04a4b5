import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_SECONDS = 300;

export interface Delivery {
  /** The body, exactly as it came. */
  body: Buffer;
  timestamp: string;
  signature: string;
}

/** Whether an event comes from the instance that knows the secret, and is not an old recording. */
export function isFromAkimbo(
  { body, timestamp, signature }: Delivery,
  secret: string,
  now: Date,
): boolean {
  if (secret === "" || !/^\d{1,11}$/.test(timestamp)) return false;
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
  const actual = Buffer.from(signature, "hex");
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
