import type { VideoFacts } from "../connector.ts";
import { MAX_PREMIUM_VIDEO_SECONDS, MAX_VIDEO_SECONDS } from "./capabilities.ts";

/** Source of all: X, "Media best practices", videos. How large a picture may be depends on the account. */
const CONTAINERS = ["mp4", "mov"];
const CODEC = "avc";
const AUDIO_CODEC = "aac";
const MAX_FRAME_RATE = 60;
const MIN_SECONDS = 0.5;
const MIN_SIDE = 32;
const MAX_RATIO = 3;

/** Averages of a stream's first frames are a little off. */
const rounded = (value: number): number => Math.round(value * 10) / 10;

/** Returns why X would refuse the video, or null; what its header does not say is not judged. */
export function videoProblem(facts: VideoFacts | null, isPremium: boolean): string | null {
  if (!facts) return "The file is not a readable video.";
  const { container, videoCodec, audioCodec } = facts;
  if (!CONTAINERS.includes(container)) return `The video is ${container}; X takes MP4 and MOV.`;
  if (videoCodec !== CODEC) {
    return `The video is encoded as ${videoCodec ?? "something unknown"}; X takes H.264.`;
  }
  if (audioCodec !== null && audioCodec !== AUDIO_CODEC) {
    return `The sound is encoded as ${audioCodec}; X takes AAC.`;
  }
  return timeProblem(facts, isPremium) ?? sizeProblem(facts);
}

function timeProblem(
  { framesPerSecond, durationSeconds }: VideoFacts,
  isPremium: boolean,
): string | null {
  if (framesPerSecond !== null && rounded(framesPerSecond) > MAX_FRAME_RATE) {
    return `The video has ${rounded(framesPerSecond)} frames per second; X takes up to ${MAX_FRAME_RATE}.`;
  }
  if (durationSeconds === null) return null;
  const seconds = rounded(durationSeconds);
  if (seconds < MIN_SECONDS) {
    return `The video lasts ${seconds} seconds; X takes ${MIN_SECONDS} or more.`;
  }
  const most = isPremium ? MAX_PREMIUM_VIDEO_SECONDS : MAX_VIDEO_SECONDS;
  if (seconds <= most) return null;
  const more = isPremium ? "" : `, with x_premium ${MAX_PREMIUM_VIDEO_SECONDS / 60}`;
  return `The video lasts ${seconds} seconds; X takes up to ${most / 60} minutes${more}.`;
}

function sizeProblem({ width, height }: VideoFacts): string | null {
  if (width === null || height === null) return null;
  if (Math.min(width, height) < MIN_SIDE) {
    return `The video is ${width} x ${height}; X takes ${MIN_SIDE} pixels or more each side.`;
  }
  if (Math.max(width, height) > MAX_RATIO * Math.min(width, height)) {
    return `The video is ${width} x ${height}; X takes ratios from 1:${MAX_RATIO} to ${MAX_RATIO}:1.`;
  }
  return null;
}
