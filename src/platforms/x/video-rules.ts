import type { VideoFacts } from "../connector.ts";
import {
  containers,
  frameRates,
  judgeVideo,
  ratios,
  seconds,
  sides,
  videoCodecs,
} from "../kit/videos.ts";
import { MAX_PREMIUM_VIDEO_SECONDS, MAX_VIDEO_SECONDS } from "./capabilities.ts";

const MIN_SIDE = 32;
const MAX_RATIO = 3;

const takesSound = ({ audioCodec }: VideoFacts) =>
  audioCodec === null || audioCodec === "aac"
    ? null
    : { problem: `The sound is encoded as ${audioCodec}`, taken: "AAC" };

/** Source: X, "Media best practices", videos. */
const RULES = [
  containers(["mp4", "mov"], "MP4 and MOV"),
  videoCodecs(["avc"], "H.264"),
  takesSound,
  frameRates({ max: 60 }),
  seconds({ least: 0.5 }),
];
const SIZES = [
  sides({ least: MIN_SIDE }, `${MIN_SIDE} pixels or more`),
  ratios({ least: 1 / MAX_RATIO, max: MAX_RATIO }, `1:${MAX_RATIO} to ${MAX_RATIO}:1`),
];

export function videoProblem(facts: VideoFacts | null, isPremium: boolean): string | null {
  const max = isPremium ? MAX_PREMIUM_VIDEO_SECONDS : MAX_VIDEO_SECONDS;
  const more = isPremium ? "" : `, with x_premium ${MAX_PREMIUM_VIDEO_SECONDS / 60}`;
  const length = seconds({ max }, `up to ${max / 60} minutes${more}`);
  return judgeVideo("X", facts, [...RULES, length, ...SIZES]);
}
