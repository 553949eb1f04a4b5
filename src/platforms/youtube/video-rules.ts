import type { VideoFacts } from "../connector.ts";
import { MAX_UNVERIFIED_SECONDS, MAX_VIDEO_SECONDS } from "./capabilities.ts";

export function videoProblem(facts: VideoFacts | null): string | null {
  if (!facts) return "The file is not a readable video.";
  const { durationSeconds } = facts;
  if (durationSeconds !== null && durationSeconds > MAX_VIDEO_SECONDS) {
    return `The video lasts ${Math.round(durationSeconds)} seconds; YouTube takes up to ${MAX_VIDEO_SECONDS}, which is 12 hours.`;
  }
  return null;
}

/** Such videos need a verified phone number. */
export const isLong = (facts: VideoFacts | null): boolean =>
  (facts?.durationSeconds ?? 0) > MAX_UNVERIFIED_SECONDS;

export const LONG_NOT_ALLOWED = `This channel can publish videos of up to ${MAX_UNVERIFIED_SECONDS / 60} minutes. Verify its phone number at youtube.com/verify for longer ones.`;
