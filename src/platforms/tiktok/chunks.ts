/**
 * Sizes in bytes. A single chunk may have up to 64 MB, chunks of a longer video 5 to 64 MB, the last one
 * up to 128 MB, and their number is rounded down; these are smaller, so that a chunk gets through in the
 * time of one call on a slow line too. Source: TikTok, "Media Transfer Guide".
 */
const LARGEST_SINGLE = 20_000_000;
const SMALL_CHUNK = 10_000_000;
const LARGE_CHUNK = 20_000_000;
/** Above this, small chunks would be hundreds of calls. */
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

/** The byte range of the chunk at `index`, counted from 0. The last one takes what is left. */
export function chunkRange({ chunkSize, count }: ChunkPlan, sizeBytes: number, index: number) {
  const offset = index * chunkSize;
  return { offset, length: index < count - 1 ? chunkSize : sizeBytes - offset };
}

/**
 * The chunk that comes next when `uploaded` bytes are there; null where no chunk begins there. All of
 * them there means that the last chunk has arrived.
 *
 * @param uploaded TikTok's documents leave open whether it is a count or the last byte's position
 */
export function nextChunk(plan: ChunkPlan, sizeBytes: number, uploaded: number): number | null {
  if (uploaded >= sizeBytes - 1) return plan.count;
  for (const bytes of [uploaded, uploaded + 1]) {
    const index = bytes / plan.chunkSize;
    if (Number.isInteger(index) && index < plan.count) return index;
  }
  return null;
}
