/** Bytes. X documents 5 MB, but its edge servers refuse smaller segments too; X's own clients send 1 MiB. */
const SMALL_SEGMENT = 1_024 * 1_024;
const LARGE_SEGMENT = 2 * SMALL_SEGMENT;
/** Bytes. Small segments of a larger file would reach `MAX_SEGMENTS`. */
const LARGE_FILE = 900_000_000;
/** Source: X, "Append media upload", `segment_index`. */
const MAX_SEGMENTS = 1_000;
const ROUNDING = 64 * 1_024;

export function segmentSize(sizeBytes: number): number {
  if (sizeBytes > LARGE_FILE) return LARGE_SEGMENT;
  const least = Math.ceil(sizeBytes / MAX_SEGMENTS);
  return Math.max(SMALL_SEGMENT, Math.ceil(least / ROUNDING) * ROUNDING);
}

export const segmentCount = (sizeBytes: number): number =>
  Math.ceil(sizeBytes / segmentSize(sizeBytes));

export function segmentRange(sizeBytes: number, index: number) {
  const size = segmentSize(sizeBytes);
  const offset = index * size;
  return { offset, length: Math.min(size, sizeBytes - offset) };
}
