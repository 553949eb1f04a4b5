import type { VideoFacts } from "../connector.ts";
import { containers, frameRates, judgeVideo, seconds, sides, videoCodecs } from "../kit/videos.ts";

const MAX_SECONDS = 600;

/** Source: TikTok, "Media Transfer Guide", video restrictions. */
const RULES = [
  containers(["mp4", "webm", "mov"], "MP4, WebM and MOV"),
  videoCodecs(["avc", "hevc", "vp8", "vp9"], "H.264, H.265, VP8 and VP9"),
  frameRates({ least: 23, max: 60 }),
  sides({ least: 360, max: 4_096 }),
];

/** @param creatorMaxSeconds null when unknown */
export function videoProblem(
  facts: VideoFacts | null,
  creatorMaxSeconds: number | null,
): string | null {
  const max = Math.min(creatorMaxSeconds ?? MAX_SECONDS, MAX_SECONDS);
  const length = seconds({ max }, `up to ${max} from this account`);
  return judgeVideo("TikTok", facts, [...RULES, length]);
}
