import type { VideoFacts } from "../connector.ts";
import { containers, judgeVideo, seconds } from "../kit/videos.ts";
import { MAX_VIDEO_SECONDS, MIN_VIDEO_SECONDS } from "./capabilities.ts";

const RULES = [
  containers(["mp4"], "MP4"),
  seconds(
    { least: MIN_VIDEO_SECONDS, max: MAX_VIDEO_SECONDS },
    `${MIN_VIDEO_SECONDS} seconds to ${MAX_VIDEO_SECONDS / 60} minutes`,
  ),
];

export const videoProblem = (facts: VideoFacts | null): string | null =>
  judgeVideo("LinkedIn", facts, RULES);
