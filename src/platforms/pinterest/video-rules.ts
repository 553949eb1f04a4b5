import type { VideoFacts } from "../connector.ts";

/** Source of all: Pinterest Business Help, "Video Pins", creative specs. */
const CONTAINERS = ["mp4", "mov"];
/** H.264 and H.265. */
const CODECS = ["avc", "hevc"];
const MIN_SECONDS = 4;
const MAX_SECONDS = 15 * 60;
/** Width by height: from 1:2 to 1.91:1. */
const MIN_RATIO = 0.5;
const MAX_RATIO = 1.91;

/** Averages and odd numbers of pixels are a little off. */
const rounded = (value: number, digits: number): number =>
  Math.round(value * 10 ** digits) / 10 ** digits;

/** Returns why Pinterest would refuse the video, or null; what its header does not say is not judged. */
export function videoProblem(facts: VideoFacts | null): string | null {
  if (!facts) return "The file is not a readable video; send MP4 or MOV with H.264 or H.265.";
  const { container, videoCodec, durationSeconds, width, height } = facts;
  if (!CONTAINERS.includes(container)) {
    return `The video is ${container}; Pinterest takes MP4, MOV and M4V.`;
  }
  if (videoCodec === null || !CODECS.includes(videoCodec)) {
    return `The video is encoded as ${videoCodec ?? "something unknown"}; Pinterest takes H.264 and H.265.`;
  }
  const seconds = durationSeconds === null ? null : rounded(durationSeconds, 1);
  if (seconds !== null && (seconds < MIN_SECONDS || seconds > MAX_SECONDS)) {
    return `The video lasts ${seconds} seconds; Pinterest takes ${MIN_SECONDS} to ${MAX_SECONDS}.`;
  }
  if (width !== null && height !== null) {
    const ratio = rounded(width / height, 2);
    if (ratio < MIN_RATIO || ratio > MAX_RATIO) {
      return `The video is ${width} x ${height}; Pinterest takes ratios from 1:2 to ${MAX_RATIO}:1.`;
    }
  }
  return null;
}
