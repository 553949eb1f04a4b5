import type { VideoFacts } from "../connector.ts";
import { MAX_VIDEO_SECONDS, MIN_VIDEO_SECONDS } from "./capabilities.ts";

/** To a tenth: what a header says of the length is a little off. */
const rounded = (value: number): number => Math.round(value * 10) / 10;

/** Returns why LinkedIn would refuse the video, or null; what its header does not say is not judged. */
export function videoProblem(facts: VideoFacts | null): string | null {
  if (!facts) return "The file is not a readable video.";
  const { container, durationSeconds } = facts;
  if (container !== "mp4") return `The video is ${container}; LinkedIn takes MP4.`;
  if (durationSeconds === null) return null;
  const seconds = rounded(durationSeconds);
  if (seconds >= MIN_VIDEO_SECONDS && seconds <= MAX_VIDEO_SECONDS) return null;
  return `The video lasts ${seconds} seconds; LinkedIn takes ${MIN_VIDEO_SECONDS} seconds to ${MAX_VIDEO_SECONDS / 60} minutes.`;
}
