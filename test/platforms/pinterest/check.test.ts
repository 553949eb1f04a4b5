import { describe, expect, test } from "vitest";
import type { PostMedia } from "../../../src/platforms/connector.ts";
import { check } from "../../../src/platforms/pinterest/check.ts";
import { BOARD, image, type JobChange, post, video } from "./scripted.ts";

/** A file behind a URL. */
const unknown = (kind: "image" | "video"): PostMedia => ({
  kind,
  mime: null,
  sizeBytes: null,
  width: null,
  height: null,
});

type Change = Omit<JobChange, "media"> & { media?: PostMedia[] };

const board = (more: Record<string, string>) => ({
  settings: { pinterest_board_id: BOARD, ...more },
});

const errorsOf = ({ media, ...change }: Change) =>
  check({ ...post(change), ...(media ? { media } : {}) });

const many = (count: number): PostMedia[] => Array.from({ length: count }, () => image());
const sized = (width: number, height: number) => image({ width, height });
const link = (length: number) => `https://example.com/${"x".repeat(length - 20)}`;

describe("takes", () => {
  test.each<[string, Change]>([
    ["one image", {}],
    ["a PNG without a title", { title: null, media: [image({ mime: "image/png" })] }],
    ["an image of 20 MB", { media: [image({ sizeBytes: 20_000_000 })] }],
    ["2 images", { media: many(2) }],
    ["5 images", { media: many(5) }],
    ["images of one ratio", { media: [sized(1_000, 1_500), sized(2_000, 3_001)] }],
    ["one that lies on its side", { media: [sized(1_000, 1_500), sized(3_000, 2_000)] }],
    ["images of which one says no size", { media: [sized(1_000, 1_500), image()] }],
    ["a video", { media: [video()] }],
    ["QuickTime", { media: [video({ mime: "video/quicktime" })] }],
    ["a video of 2 GB", { media: [video({ sizeBytes: 2_000_000_000 })] }],
    ["a video with a cover", { media: [video()], ...board({ pinterest_cover_time_ms: "0" }) }],
    [
      "a cover with what may be a video",
      { media: [unknown("image")], ...board({ pinterest_cover_time_ms: "1500" }) },
    ],
    ["a video with alt text", { media: [video()], ...board({ alt_text: "x" }) }],
    ["a title of 100", { title: "x".repeat(100) }],
    ["a description of 500", { description: "x".repeat(500) }],
    ["a link of 2,048", board({ link: link(2_048) })],
    ["an http link", board({ link: "http://example.com" })],
    ["an alt text of 500", board({ alt_text: "x".repeat(500) })],
    ["the board by its other name", { settings: { board_id: BOARD } }],
    ["the board by both names", board({ board_id: BOARD })],
  ])("%s", (_, change) => {
    expect(errorsOf(change)).toEqual([]);
  });
});

describe("refuses", () => {
  test.each<[string, Change, string, string]>([
    ["no board", { settings: {} }, "pinterest_board_id", "missing"],
    ["a board in words", board({ pinterest_board_id: "a" }), "pinterest_board_id", "numeric"],
    ["such a board_id", { settings: { board_id: "1a" } }, "board_id", "board_id must be the"],
    ["two boards", board({ board_id: "1" }), "board_id", "different boards"],
    ["a title of 101", { title: "x".repeat(101) }, "title", "100 characters, it has 101"],
    ["a description of 501", { description: "x".repeat(501) }, "description", "500 characters"],
    ["a link of 2,049", board({ link: link(2_049) }), "link", "2,048 characters, it has 2,049"],
    ["a link without a scheme", board({ link: "example.com" }), "link", "http or https"],
    ["a mail address", board({ link: "mailto:a@example.com" }), "link", "http or https"],
    ["an alt text of 501", board({ alt_text: "x".repeat(501) }), "alt_text", "it has 501"],
    ["no media", { media: [] }, "photo", "text alone"],
    ["6 images", { media: many(6) }, "photo", "up to 5 images; 6"],
    ["2 videos", { media: [video(), video()] }, "video", "one video; 2"],
    ["a video beside an image", { media: [image(), video()] }, "video", "not both"],
    ["a GIF", { media: [image({ mime: "image/gif" })] }, "photo", "send JPEG or PNG"],
    [
      "an image of more than 20 MB",
      { media: [image(), image({ sizeBytes: 20_000_001 })] },
      "photo",
      "Image 2 has 20,000,001 bytes; make it 20,000,000",
    ],
    ["WebM", { media: [video({ mime: "video/webm" })] }, "video", "send MP4 or QuickTime"],
    [
      "a video of more than 2 GB",
      { media: [video({ sizeBytes: 2_000_000_001 })] },
      "video",
      "2,000,000,001",
    ],
    ["a document", { media: [{ ...unknown("image"), kind: "document" }] }, "photo", "documents"],
    [
      "images of two ratios",
      { media: [sized(1_000, 1_500), sized(1_000, 1_500), sized(1_000, 1_000)] },
      "photo",
      "image 1 is 1000 x 1500, image 3 is 1000 x 1000",
    ],
    [
      "a cover time with an image",
      board({ pinterest_cover_time_ms: "0" }),
      "pinterest_cover_time_ms",
      "for videos",
    ],
    [
      "a cover time with a carousel behind URLs",
      {
        media: [unknown("image"), unknown("image")],
        ...board({ pinterest_cover_time_ms: "0" }),
      },
      "pinterest_cover_time_ms",
      "for videos",
    ],
    ...["-1", "1.5", "soon", "1234567890"].map((ms): [string, Change, string, string] => [
      `a cover at ${ms}`,
      { media: [video()], ...board({ pinterest_cover_time_ms: ms }) },
      "pinterest_cover_time_ms",
      "whole number of milliseconds",
    ]),
  ])("%s", (_, change, field, wording) => {
    expect(errorsOf(change)).toEqual([{ field, message: expect.stringContaining(wording) }]);
    expect(errorsOf(change)[0]?.message).toMatch(/\.$/);
  });
});
