interface Frame {
  kind: string;
  /** Width divided by height. */
  min: number;
  max: number;
  low: string;
  high: string;
}

const NO_LIMIT = { min: 0, max: Number.POSITIVE_INFINITY, low: "", high: "" };

/**
 * What feeds show of a file.
 *
 * @see https://developers.facebook.com/docs/instagram-platform/content-publishing
 * @see https://help.pinterest.com/business/article/pinterest-product-specs
 * @see https://support.google.com/youtube/answer/15424877
 */
const FRAMES: Record<string, Frame[]> = {
  instagram: [
    { kind: "image", min: 4 / 5, max: 1.91, low: "cuts this to 4:5", high: "cuts this to 1.91:1" },
    { ...NO_LIMIT, kind: "video", max: 9 / 16, high: "shows this with bars: a reel is 9:16" },
  ],
  pinterest: [{ ...NO_LIMIT, kind: "image", min: 1 / 2.1, low: "cuts this to 1:2.1 in feeds" }],
  tiktok: [
    { ...NO_LIMIT, kind: "video", max: 9 / 16, high: "shows this with bars: its screen is 9:16" },
  ],
};

/** A picture of a phone is a little off its ratio. */
const TOLERANCE = 1.02;

export interface Crop {
  platform: string;
  words: string;
}

/** Pictures that Instagram shows together have the shape of the first one. */
const CAROUSEL = "gives all pictures of a post the shape of the first one";

export function crops(
  kind: string,
  ratio: number,
  platforms: ReadonlySet<string>,
  count: number,
): Crop[] {
  const found: Crop[] = [];
  for (const platform of platforms) {
    for (const frame of FRAMES[platform] ?? []) {
      if (frame.kind !== kind) continue;
      if (ratio * TOLERANCE < frame.min) found.push({ platform, words: frame.low });
      if (ratio > frame.max * TOLERANCE) found.push({ platform, words: frame.high });
    }
  }
  if (kind === "image" && count > 1 && platforms.has("instagram") && found.length > 0) {
    found.push({ platform: "instagram", words: CAROUSEL });
  }
  return found;
}
