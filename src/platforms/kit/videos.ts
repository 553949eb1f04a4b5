import type { VideoFacts } from "../connector.ts";

interface Range {
  least?: number;
  max?: number;
}

/** Null, or both parts of "{problem}; {platform} takes {taken}." */
type VideoRule = (facts: VideoFacts) => { problem: string; taken: string } | null;

/** Measured frame rates and durations are slightly off. */
export const toTenth = (value: number): number => Math.round(value * 10) / 10;

const isWithin = (value: number, { least = 0, max = Number.POSITIVE_INFINITY }: Range): boolean =>
  value >= least && value <= max;

function toWords({ least, max }: Range): string {
  if (least === undefined) return `up to ${max}`;
  return max === undefined ? `${least} or more` : `${least} to ${max}`;
}

export const containers =
  (allowed: readonly string[], taken: string): VideoRule =>
  ({ container }) =>
    allowed.includes(container) ? null : { problem: `The video is ${container}`, taken };

export const videoCodecs =
  (allowed: readonly string[], taken: string): VideoRule =>
  ({ videoCodec }) => {
    if (videoCodec !== null && allowed.includes(videoCodec)) return null;
    return { problem: `The video is encoded as ${videoCodec ?? "something unknown"}`, taken };
  };

export const frameRates =
  (range: Range): VideoRule =>
  ({ framesPerSecond }) => {
    const rate = framesPerSecond === null ? null : toTenth(framesPerSecond);
    if (rate === null || isWithin(rate, range)) return null;
    return { problem: `The video has ${rate} frames per second`, taken: toWords(range) };
  };

export const seconds =
  (range: Range, taken = toWords(range)): VideoRule =>
  ({ durationSeconds }) => {
    const length = durationSeconds === null ? null : toTenth(durationSeconds);
    if (length === null || isWithin(length, range)) return null;
    return { problem: `The video lasts ${length} seconds`, taken };
  };

export const sides =
  (range: Range, taken = `${toWords(range)} pixels`): VideoRule =>
  ({ width, height }) => {
    if (width === null || height === null) return null;
    if (isWithin(width, range) && isWithin(height, range)) return null;
    return { problem: `The video is ${width} x ${height}`, taken: `${taken} each side` };
  };

export const ratios =
  (range: Range, taken: string): VideoRule =>
  ({ width, height }) => {
    if (width === null || height === null || isWithin(width / height, range)) return null;
    return { problem: `The video is ${width} x ${height}`, taken: `ratios from ${taken}` };
  };

export function judgeVideo(
  platform: string,
  facts: VideoFacts | null,
  rules: readonly VideoRule[],
  unreadable = "The file is not a readable video.",
): string | null {
  if (!facts) return unreadable;
  for (const rule of rules) {
    const refused = rule(facts);
    if (refused) return `${refused.problem}; ${platform} takes ${refused.taken}.`;
  }
  return null;
}
