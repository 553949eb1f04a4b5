import type { VideoFacts } from "../connector.ts";

export interface VideoRules {
  /** 0 means no minimum. */
  minSeconds: number;
  maxSeconds: number;
  maxBytes: number;
  minFps: number;
  maxFps: number;
  maxWidth: number;
  /** Width divided by height. */
  minRatio: number;
  maxRatio: number;
}

/** H.264 and HEVC. Source: Meta, "IG User Media" and Threads, "Posts", video specifications. */
const VIDEO_CODECS = ["avc", "hevc"];

const round = (value: number): number => Math.round(value * 100) / 100;

/** Values missing in the header are not judged, except the codec. */
export function refusedVideo(
  platform: string,
  facts: VideoFacts | null,
  sizeBytes: number,
  rules: VideoRules,
): string | null {
  if (facts === null) return "The video cannot be read; send MP4 or QuickTime with H.264 or HEVC.";
  const { durationSeconds: seconds, framesPerSecond: fps, width, height, videoCodec } = facts;
  if (videoCodec === null || !VIDEO_CODECS.includes(videoCodec)) {
    const codec = videoCodec === null ? "another codec" : videoCodec;
    return `${platform} plays H.264 and HEVC; the video has ${codec}.`;
  }
  if (sizeBytes > rules.maxBytes) {
    return `The video has ${sizeBytes} bytes; ${platform} takes ${rules.maxBytes}.`;
  }
  if (seconds !== null && (seconds < rules.minSeconds || seconds > rules.maxSeconds)) {
    const range = rules.minSeconds > 0 ? `${rules.minSeconds} to` : "up to";
    return `The video lasts ${round(seconds)} s; ${platform} takes ${range} ${rules.maxSeconds} s.`;
  }
  if (fps !== null && (Math.ceil(fps) < rules.minFps || Math.floor(fps) > rules.maxFps)) {
    return `The video has ${round(fps)} frames a second; ${platform} takes ${rules.minFps} to ${rules.maxFps}.`;
  }
  if (width !== null && width > rules.maxWidth) {
    return `The video is ${width} pixels wide; ${platform} takes up to ${rules.maxWidth}.`;
  }
  if (width !== null && height !== null) {
    const ratio = width / height;
    if (ratio < rules.minRatio || ratio > rules.maxRatio) {
      return `The video is ${width} x ${height}; ${platform} takes ratios from ${rules.minRatio}:1 to ${rules.maxRatio}:1.`;
    }
  }
  return null;
}
