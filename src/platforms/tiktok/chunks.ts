/**
 * Bytes. TikTok takes one chunk of up to 64 MB, or 5 to 64 MB each and a last one of up to 128 MB, counted
 * rounded down. Smaller ones fit into a call on a slow line. Source: TikTok, "Media Transfer Guide".
 */
const LARGEST_SINGLE = 20_000_000;
const SMALL_CHUNK = 10_000_000;
const LARGE_CHUNK = 20_000_000;
/** For larger videos, small chunks would take hundreds of calls. */
const LARGE_VIDEO = 1_000_000_000;

interface ChunkPlan {
  chunkSize: number;
  count: number;
}

export function planChunks(sizeBytes: number): ChunkPlan {
  if (sizeBytes <= LARGEST_SINGLE) return { chunkSize: sizeBytes, count: 1 };
  const chunkSize = sizeBytes > LARGE_VIDEO ? LARGE_CHUNK : SMALL_CHUNK;
  return { chunkSize, count: Math.floor(sizeBytes / chunkSize) };
}

/**
 * The last chunk takes the rest.
 * @param index starts at 0
 */
export function chunkRange({ chunkSize, count }: ChunkPlan, sizeBytes: number, index: number) {
  const offset = index * chunkSize;
  return { offset, length: index < count - 1 ? chunkSize : sizeBytes - offset };
}

/** @param uploaded a count or the last byte's position, as TikTok's documents leave open */
export function nextChunk(plan: ChunkPlan, sizeBytes: number, uploaded: number): number | null {
  if (uploaded >= sizeBytes - 1) return plan.count;
  for (const bytes of [uploaded, uploaded + 1]) {
    const index = bytes / plan.chunkSize;
    if (Number.isInteger(index) && index < plan.count) return index;
  }
  return null;
}
