import type { VideoFacts } from "../connector.ts";
import { toTenth } from "../kit/videos.ts";
import { REEL_RULES } from "./capabilities.ts";

export const UNREADABLE = "The video cannot be read; send MP4 or QuickTime.";

export function refusedReel(facts: VideoFacts | null): string | null {
  if (facts === null) return UNREADABLE;
  const { durationSeconds: seconds, framesPerSecond: fps, width, height } = facts;
  const { minSeconds, maxSeconds, minFps, maxFps, minWidth, minHeight } = REEL_RULES;
  if (seconds !== null && (toTenth(seconds) < minSeconds || toTenth(seconds) > maxSeconds)) {
    return `The video lasts ${toTenth(seconds)} s; a Facebook reel lasts ${minSeconds} to ${maxSeconds} s.`;
  }
  if (fps !== null && (toTenth(fps) < minFps || toTenth(fps) > maxFps)) {
    return `The video has ${toTenth(fps)} frames a second; a Facebook reel has ${minFps} to ${maxFps}.`;
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
