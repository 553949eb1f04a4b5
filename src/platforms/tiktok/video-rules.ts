import type { VideoFacts } from "../connector.ts";

/** Source of all: TikTok, "Media Transfer Guide", video restrictions. */
const CONTAINERS = ["mp4", "webm", "mov"];
const CODECS = ["avc", "hevc", "vp8", "vp9"];
const FRAME_RATES = { least: 23, most: 60 };
const SIDES = { least: 360, most: 4_096 };
const MAX_SECONDS = 600;

const isWithin = (value: number, { least, most }: { least: number; most: number }): boolean =>
  value >= least && value <= most;

/** Averages of a stream's first frames are a little off. */
const rounded = (value: number): number => Math.round(value * 10) / 10;

/**
 * Returns why TikTok would refuse the video, or null; what its header does not say is not judged.
 *
 * @param creatorMaxSeconds the longest this creator may post, where that is known
 */
export function videoProblem(
  facts: VideoFacts | null,
  creatorMaxSeconds: number | null,
): string | null {
  if (!facts) return "The file is not a readable video.";
  const { container, videoCodec, durationSeconds, framesPerSecond, width, height } = facts;
  if (!CONTAINERS.includes(container)) {
    return `The video is ${container}; TikTok takes MP4, WebM and MOV.`;
  }
  if (videoCodec === null || !CODECS.includes(videoCodec)) {
    return `The video is encoded as ${videoCodec ?? "something unknown"}; TikTok takes H.264, H.265, VP8 and VP9.`;
  }
  if (framesPerSecond !== null && !isWithin(rounded(framesPerSecond), FRAME_RATES)) {
    return `The video has ${rounded(framesPerSecond)} frames per second; TikTok takes ${FRAME_RATES.least} to ${FRAME_RATES.most}.`;
  }
  if (
    width !== null &&
    height !== null &&
    ![width, height].every((side) => isWithin(side, SIDES))
  ) {
    return `The video is ${width} x ${height}; TikTok takes ${SIDES.least} to ${SIDES.most} pixels each side.`;
  }
  const maxSeconds = Math.min(creatorMaxSeconds ?? MAX_SECONDS, MAX_SECONDS);
  if (durationSeconds !== null && rounded(durationSeconds) > maxSeconds) {
    return `The video lasts ${rounded(durationSeconds)} seconds; TikTok takes up to ${maxSeconds} from this account.`;
  }
  return null;
}
