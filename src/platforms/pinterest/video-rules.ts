import type { VideoFacts } from "../connector.ts";
import { containers, judgeVideo, ratios, seconds, videoCodecs } from "../kit/videos.ts";

/** Width divided by height, 1:2 to 1.91:1. */
const MIN_RATIO = 0.5;
const MAX_RATIO = 1.91;
const RATIO_SLACK = 0.005;

/** Source of all: Pinterest Business Help, "Video Pins", creative specs. */
const RULES = [
  containers(["mp4", "mov"], "MP4, MOV and M4V"),
  videoCodecs(["avc", "hevc"], "H.264 and H.265"),
  seconds({ least: 4, max: 15 * 60 }),
  ratios({ least: MIN_RATIO - RATIO_SLACK, max: MAX_RATIO + RATIO_SLACK }, `1:2 to ${MAX_RATIO}:1`),
];

const UNREADABLE = "The file is not a readable video; send MP4 or MOV with H.264 or H.265.";

export const videoProblem = (facts: VideoFacts | null): string | null =>
  judgeVideo("Pinterest", facts, RULES, UNREADABLE);
