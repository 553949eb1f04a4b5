import { describe, expect, test } from "vitest";
import type { VideoFacts } from "../../../src/platforms/connector.ts";
import {
  containers,
  frameRates,
  judgeVideo,
  ratios,
  seconds,
  sides,
  videoCodecs,
} from "../../../src/platforms/kit/videos.ts";

const FACTS: VideoFacts = {
  container: "mp4",
  videoCodec: "avc",
  audioCodec: "aac",
  durationSeconds: 10,
  framesPerSecond: 30,
  width: 1_080,
  height: 1_920,
};

const RULES = [
  containers(["mp4"], "MP4"),
  videoCodecs(["avc"], "H.264"),
  frameRates({ least: 23, max: 60 }),
  seconds({ least: 3 }),
  seconds({ max: 120 }, "up to 2 minutes"),
  sides({ least: 360, max: 4_096 }),
  ratios({ least: 0.5, max: 2 }, "1:2 to 2:1"),
];

const judge = (changed: Partial<VideoFacts>) =>
  judgeVideo("Toynet", { ...FACTS, ...changed }, RULES);

describe("a video is refused by the first rule against it", () => {
  test.each<[Partial<VideoFacts>, string]>([
    [{ container: "mov", videoCodec: null }, "The video is mov; Toynet takes MP4."],
    [{ videoCodec: "vp9" }, "The video is encoded as vp9; Toynet takes H.264."],
    [{ videoCodec: null }, "The video is encoded as something unknown; Toynet takes H.264."],
    [{ framesPerSecond: 60.06 }, "The video has 60.1 frames per second; Toynet takes 23 to 60."],
    [{ durationSeconds: 2.94 }, "The video lasts 2.9 seconds; Toynet takes 3 or more."],
    [{ durationSeconds: 121 }, "The video lasts 121 seconds; Toynet takes up to 2 minutes."],
    [
      { width: 300, height: 360 },
      "The video is 300 x 360; Toynet takes 360 to 4096 pixels each side.",
    ],
    [
      { width: 500, height: 1_080 },
      "The video is 500 x 1080; Toynet takes ratios from 1:2 to 2:1.",
    ],
  ])("%j", (changed, message) => {
    expect(judge(changed)).toBe(message);
  });
});

test.each<Partial<VideoFacts>>([
  {},
  { framesPerSecond: 60.04, durationSeconds: 2.96 },
  { framesPerSecond: null, durationSeconds: null, width: null },
])("%j is taken: what is a little off, or not known, is no reason", (changed) => {
  expect(judge(changed)).toBeNull();
});

test("a file that cannot be read is refused in the platform's words, where it has some", () => {
  expect(judgeVideo("Toynet", null, RULES)).toBe("The file is not a readable video.");
  expect(judgeVideo("Toynet", null, RULES, "Send MP4.")).toBe("Send MP4.");
});
