/** Every other status stays as it is until its date comes or a person acts: waiting for it could take months. */
const ON_THEIR_WAY = ["pending", "processing"];

export const hasEnded = (status: string): boolean => !ON_THEIR_WAY.includes(status);

const DELAYS_SECONDS = [1, 1, 2, 3, 5, 8];
const LAST_DELAY_SECONDS = 10;

/** Wait before the next read of a post, after so many reads. */
export function nextReadSeconds(reads: number, remainingSeconds: number): number {
  return Math.min(DELAYS_SECONDS[reads] ?? LAST_DELAY_SECONDS, remainingSeconds);
}
