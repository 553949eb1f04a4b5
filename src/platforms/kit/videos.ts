import type { VideoFacts } from "../connector.ts";

/** Limits of a number; the end that is left out is open. */
interface Range {
  least?: number;
  most?: number;
}

/** The fact that a platform refuses a video for, and what it takes: "X takes …". Null for a video that will do. */
type VideoRule = (facts: VideoFacts) => { found: string; taken: string } | null;

/** Averages of a stream's first frames, and durations of uneven tracks, are a little off. */
export const toTenth = (value: number): number => Math.round(value * 10) / 10;

const isWithin = (value: number, { least = 0, most = Number.POSITIVE_INFINITY }: Range): boolean =>
  value >= least && value <= most;

function toWords({ least, most }: Range): string {
  if (least === undefined) return `up to ${most}`;
  return most === undefined ? `${least} or more` : `${least} to ${most}`;
}

export const containers =
  (known: readonly string[], taken: string): VideoRule =>
  ({ container }) =>
    known.includes(container) ? null : { found: `The video is ${container}`, taken };

export const videoCodecs =
  (known: readonly string[], taken: string): VideoRule =>
  ({ videoCodec }) => {
    if (videoCodec !== null && known.includes(videoCodec)) return null;
    return { found: `The video is encoded as ${videoCodec ?? "something unknown"}`, taken };
  };

export const frameRates =
  (range: Range): VideoRule =>
  ({ framesPerSecond }) => {
    const rate = framesPerSecond === null ? null : toTenth(framesPerSecond);
    if (rate === null || isWithin(rate, range)) return null;
    return { found: `The video has ${rate} frames per second`, taken: toWords(range) };
  };

export const seconds =
  (range: Range, taken = toWords(range)): VideoRule =>
  ({ durationSeconds }) => {
    const length = durationSeconds === null ? null : toTenth(durationSeconds);
    if (length === null || isWithin(length, range)) return null;
    return { found: `The video lasts ${length} seconds`, taken };
  };

/** Pixels of width and height alike. */
export const sides =
  (range: Range, taken = `${toWords(range)} pixels`): VideoRule =>
  ({ width, height }) => {
    if (width === null || height === null) return null;
    if (isWithin(width, range) && isWithin(height, range)) return null;
    return { found: `The video is ${width} x ${height}`, taken: `${taken} each side` };
  };

/** Width by height. */
export const ratios =
  (range: Range, taken: string): VideoRule =>
  ({ width, height }) => {
    if (width === null || height === null || isWithin(width / height, range)) return null;
    return { found: `The video is ${width} x ${height}`, taken: `ratios from ${taken}` };
  };

/**
 * Returns why a platform would refuse a video, by the first rule against it, or null. Facts that its header leaves out
 * are not judged.
 *
 * @param platform its name as people know it
 */
export function judgeVideo(
  platform: string,
  facts: VideoFacts | null,
  rules: readonly VideoRule[],
  unreadable = "The file is not a readable video.",
): string | null {
  if (!facts) return unreadable;
  for (const rule of rules) {
    const refused = rule(facts);
    if (refused) return `${refused.found}; ${platform} takes ${refused.taken}.`;
  }
  return null;
}
