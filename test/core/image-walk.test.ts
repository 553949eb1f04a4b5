import { describe, expect, test } from "vitest";
import { ImageWalk } from "../../src/core/image-walk.ts";
import {
  animatedGif,
  animatedWebp,
  losslessWebp,
  progressiveJpeg,
  testJpeg,
  testPng,
  webp,
} from "../support/videos.ts";

const latin1 = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

/** Judges the bytes in pieces of several sizes; all must agree. */
function isWhole(bytes: Uint8Array): boolean {
  const verdicts = [1, 7, bytes.length].map((size) => {
    const walk = new ImageWalk();
    for (let i = 0; i < bytes.length; i += size) walk.write(bytes.subarray(i, i + size));
    return walk.isWhole;
  });
  expect(new Set(verdicts).size).toBe(1);
  return verdicts[0] ?? false;
}

const IMAGES: [string, Uint8Array][] = [
  ["a JPEG", testJpeg],
  ["a progressive JPEG", progressiveJpeg],
  ["a PNG", testPng],
  ["an animated GIF", animatedGif],
  ["a WebP", webp],
  ["a lossless WebP", losslessWebp],
  ["an animated WebP", animatedWebp],
];

describe.each(IMAGES)("%s", (_, image) => {
  test("is whole, with other bytes behind it too", () => {
    expect(isWhole(image)).toBe(true);
    expect(isWhole(Uint8Array.from([...image, ...latin1("made by a camera")]))).toBe(true);
  });

  test.each([10, 30, 50, 70, 90])("cut off after %i % is damaged", (percent) => {
    expect(isWhole(image.subarray(0, Math.floor((image.length * percent) / 100)))).toBe(false);
  });
});

test.each([
  ["a JPEG", testJpeg],
  ["a PNG", testPng],
])("%s with noughts for its second half is damaged", (_, image) => {
  const half = image.slice();
  half.fill(0, half.length / 2);
  expect(isWhole(half)).toBe(false);
});

test.each<[string, string]>([
  ["a JPEG's first bytes", "\xff\xd8\xff"],
  ["a JPEG's first bytes and text", "\xff\xd8\xffHello, this is no picture."],
  ["a JPEG without a picture", "\xff\xd8\xff\xfe\x00\x04hi\xff\xd9"],
  ["a JPEG whose segment has no length", "\xff\xd8\xff\xe0\x00\x00\x00\x00"],
  ["a PNG's signature", "\x89PNG\r\n\x1a\n"],
  ["a PNG's signature and text", "\x89PNG\r\n\x1a\nHello, this is no picture."],
  ["a PNG that begins with its data", "\x89PNG\r\n\x1a\n\x00\x00\x00\x01IDATx0000"],
  ["a PNG of no size", `\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR${"\x00".repeat(17)}`],
  ["a GIF's first bytes", "GIF89a"],
  ["a GIF's first bytes and text", "GIF89a, but this is no picture."],
  ["a GIF without a picture", "GIF89a\x01\x00\x01\x00\x00\x00\x00;"],
  ["a WebP's first bytes", "RIFF\x04\x00\x00\x00WEBP"],
  ["a WebP's first bytes and text", "RIFF\x20\x00\x00\x00WEBPVP8 Hello, this is no picture."],
  [
    "a WebP of no size",
    `RIFF\x16\x00\x00\x00WEBPVP8 \x0a\x00\x00\x00\x10\x00\x00\x9d\x01\x2a\x00\x00\x01\x00`,
  ],
  ["another RIFF file", "RIFF\x04\x00\x00\x00AVI "],
])("%s: no decoder can read that", (_, bytes) => {
  expect(isWhole(latin1(bytes))).toBe(false);
});

test.each<[string, string]>([
  ["a GIF without its trailer", "\x00"],
  ["a GIF with noughts between its blocks", "\x00\x00;"],
])("%s is shown everywhere, and is whole", (_, end) => {
  expect(isWhole(Uint8Array.from([...animatedGif.slice(0, -1), ...latin1(end)]))).toBe(true);
});

test.each<[string, string]>([
  ["nothing", ""],
  ["a video", "\x00\x00\x00 ftypisom"],
  ["a document", "%PDF-1.7"],
])("%s is not judged", (_, bytes) => {
  const walk = new ImageWalk();
  walk.write(latin1(bytes));
  expect(walk.isWhole).toBe(bytes !== "");
});
