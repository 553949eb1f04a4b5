/** Bytes. X documents up to 5 MB, its edge refuses less; 1 MiB is what X's own clients send. */
const SMALL_SEGMENT = 1_024 * 1_024;
const LARGE_SEGMENT = 2 * SMALL_SEGMENT;
/** From here on small segments would be nearly as many as X takes. */
const LARGE_FILE = 900_000_000;
/** Source: X, "Append media upload", `segment_index`. */
const MAX_SEGMENTS = 1_000;
const ROUNDING = 64 * 1_024;

/** Bytes of every segment but the last. */
export function segmentSize(sizeBytes: number): number {
  if (sizeBytes > LARGE_FILE) return LARGE_SEGMENT;
  const least = Math.ceil(sizeBytes / MAX_SEGMENTS);
  return Math.max(SMALL_SEGMENT, Math.ceil(least / ROUNDING) * ROUNDING);
}

export const segmentCount = (sizeBytes: number): number =>
  Math.ceil(sizeBytes / segmentSize(sizeBytes));

/** The byte range of the segment at `index`, counted from 0. */
export function segmentRange(sizeBytes: number, index: number) {
  const size = segmentSize(sizeBytes);
  const offset = index * size;
  return { offset, length: Math.min(size, sizeBytes - offset) };
}
