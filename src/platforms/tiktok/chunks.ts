/**
 * Bytes. TikTok allows one chunk of up to 64 MB, or several of 5 to 64 MB, the last one up to 128 MB. Smaller chunks
 * fit into one call on a slow line. Source: TikTok, "Media Transfer Guide".
 */
const LARGEST_SINGLE = 20_000_000;
const SMALL_CHUNK = 10_000_000;
const LARGE_CHUNK = 20_000_000;
/** Bytes. Small chunks of a larger video would take hundreds of calls. */
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

/** The last chunk also takes the remaining bytes. */
export function chunkRange({ chunkSize, count }: ChunkPlan, sizeBytes: number, index: number) {
  const offset = index * chunkSize;
  return { offset, length: index < count - 1 ? chunkSize : sizeBytes - offset };
}

/** @param uploaded the number of bytes or the last byte's position: TikTok leaves open which */
export function nextChunk(plan: ChunkPlan, sizeBytes: number, uploaded: number): number | null {
  if (uploaded >= sizeBytes - 1) return plan.count;
  for (const bytes of [uploaded, uploaded + 1]) {
    const index = bytes / plan.chunkSize;
    if (Number.isInteger(index) && index < plan.count) return index;
  }
  return null;
}
