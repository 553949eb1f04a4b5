import type { VideoFacts } from "../connector.ts";
import {
  MAX_FPS,
  MAX_RATIO,
  MAX_VIDEO_WIDTH,
  MIN_FPS,
  MIN_RATIO,
  VIDEO_CODECS,
  type VideoRules,
} from "./capabilities.ts";

const round = (value: number): number => Math.round(value * 100) / 100;

/** Why Instagram would refuse a video, in words, or null. What its header does not say is no reason. */
export function refusedVideo(
  facts: VideoFacts | null,
  sizeBytes: number,
  rules: VideoRules,
): string | null {
  if (facts === null) return "The video cannot be read; send MP4 or QuickTime with H.264 or HEVC.";
  const { durationSeconds: seconds, framesPerSecond: fps, width, height, videoCodec } = facts;
  if (videoCodec === null || !VIDEO_CODECS.includes(videoCodec)) {
    const found = videoCodec === null ? "another codec" : videoCodec;
    return `Instagram plays H.264 and HEVC; the video has ${found}.`;
  }
  if (sizeBytes > rules.maxBytes) {
    return `The video has ${sizeBytes} bytes; Instagram takes ${rules.maxBytes}.`;
  }
  if (seconds !== null && (seconds < rules.minSeconds || seconds > rules.maxSeconds)) {
    return `The video lasts ${round(seconds)} s; Instagram takes ${rules.minSeconds} to ${rules.maxSeconds} s.`;
  }
  // An average over frames of uneven length is a little off.
  if (fps !== null && (Math.ceil(fps) < MIN_FPS || Math.floor(fps) > MAX_FPS)) {
    return `The video has ${round(fps)} frames a second; Instagram takes ${MIN_FPS} to ${MAX_FPS}.`;
  }
  if (width !== null && width > MAX_VIDEO_WIDTH) {
    return `The video is ${width} pixels wide; Instagram takes up to ${MAX_VIDEO_WIDTH}.`;
  }
  if (width !== null && height !== null) {
    const ratio = width / height;
    if (ratio < MIN_RATIO || ratio > MAX_RATIO) {
      return `The video is ${width} x ${height}; Instagram takes ratios from ${MIN_RATIO}:1 to ${MAX_RATIO}:1.`;
    }
  }
  return null;
}
