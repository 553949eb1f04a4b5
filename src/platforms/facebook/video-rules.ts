import type { VideoFacts } from "../connector.ts";
import { REEL_RULES } from "./capabilities.ts";

export const UNREADABLE = "The video cannot be read; send MP4 or QuickTime.";

/** Averages of a stream's first frames, and durations of uneven tracks, are a little off. */
const rounded = (value: number): number => Math.round(value * 10) / 10;

/**
 * Returns why Facebook would refuse a reel, in words, or null. A value missing from its header is no reason.
 */
export function refusedReel(facts: VideoFacts | null): string | null {
  if (facts === null) return UNREADABLE;
  const { durationSeconds: seconds, framesPerSecond: fps, width, height } = facts;
  const { minSeconds, maxSeconds, minFps, maxFps, minWidth, minHeight } = REEL_RULES;
  if (seconds !== null && (rounded(seconds) < minSeconds || rounded(seconds) > maxSeconds)) {
    return `The video lasts ${rounded(seconds)} s; a Facebook reel lasts ${minSeconds} to ${maxSeconds} s.`;
  }
  if (fps !== null && (rounded(fps) < minFps || rounded(fps) > maxFps)) {
    return `The video has ${rounded(fps)} frames a second; a Facebook reel has ${minFps} to ${maxFps}.`;
  }
  if (width === null || height === null) return null;
  if (Math.abs(width / height - REEL_RULES.ratio) > REEL_RULES.ratioTolerance) {
    return `The video is ${width} x ${height}; a Facebook reel is 9:16, such as 1080 x 1920.`;
  }
  if (width < minWidth || height < minHeight) {
    return `The video is ${width} x ${height}; a Facebook reel has at least ${minWidth} x ${minHeight}.`;
  }
  return null;
}
