import { expect, test } from "vitest";
import { check } from "../../../src/platforms/bluesky/check.ts";
import { image, post, video } from "./scripted.ts";

const FAMILY = "👨‍👩‍👧‍👧";

test.each([
  ["a description", post({ description: "Hi" })],
  ["a title alone", post({ title: "Hi", description: null })],
  ["images without text", post({ description: " \n", media: [image(), image()] })],
  ["4 images of 2,000,000 bytes", post({ media: Array(4).fill(image({ sizeBytes: 2_000_000 })) })],
  ["300 letters", post({ description: "a".repeat(300) })],
  ["119 family emoji, which are 2,975 bytes", post({ description: FAMILY.repeat(119) })],
  ["3,000 bytes", post({ description: "e\u0301".repeat(300) + "\u0301".repeat(1_050) })],
  [
    "an alt text for two images",
    post({ media: [image(), image()], settings: { bluesky_alt_text: "x" } }),
  ],
  [
    "fewer alt texts than images",
    post({ media: [image(), image()], settings: { bluesky_alt_text: ["x"] } }),
  ],
  ["a video without text", post({ description: null, media: [video()] })],
  ["a video of 100,000,000 bytes", post({ media: [video({ sizeBytes: 100_000_000 })] })],
  ["a QuickTime video", post({ media: [video({ mime: "video/quicktime" })] })],
  ["a WebM video", post({ media: [video({ mime: "video/webm" })] })],
  [
    "a list of one alt text for a video",
    post({ media: [video()], settings: { bluesky_alt_text: ["x"] } }),
  ],
  [
    "an alt text of 1,000 family emoji",
    post({ media: [image()], settings: { bluesky_alt_text: FAMILY.repeat(1_000) } }),
  ],
])("accepts %s", (_, accepted) => {
  expect(check(accepted)).toEqual([]);
});

test.each([
  [
    "no text and no images",
    post({ title: " ", description: "\n\t" }),
    [["description", "Write a description: a post on Bluesky without files needs text."]],
  ],
  [
    "301 letters",
    post({ description: "a".repeat(301) }),
    [["description", "Shorten the text: Bluesky takes 300 characters, it has 301."]],
  ],
  [
    "301 letters of title",
    post({ title: "a".repeat(301), description: "" }),
    [["title", "Shorten the text: Bluesky takes 300 characters, it has 301."]],
  ],
  [
    "121 family emoji, which are 3,025 bytes",
    post({ description: FAMILY.repeat(121) }),
    [["description", "Shorten the text: Bluesky takes 3,000 bytes of UTF-8, it has 3,025."]],
  ],
  [
    "3,001 bytes",
    post({ description: `${"e\u0301".repeat(299) + "\u0301".repeat(1_052)}` }),
    [["description", "Shorten the text: Bluesky takes 3,000 bytes of UTF-8, it has 3,001."]],
  ],
  [
    "301 family emoji, by both limits",
    post({ description: FAMILY.repeat(301) }),
    [
      ["description", "Shorten the text: Bluesky takes 300 characters, it has 301."],
      ["description", "Shorten the text: Bluesky takes 3,000 bytes of UTF-8, it has 7,525."],
    ],
  ],
  [
    "5 images",
    post({ media: Array(5).fill(image()) }),
    [["photo", "Bluesky takes up to 4 images; 5 were sent."]],
  ],
  [
    "an image of 2,000,001 bytes",
    post({ media: [image(), image({ sizeBytes: 2_000_001 })] }),
    [["photo", "Image 2 has 2,000,001 bytes; make it 2,000,000 or less."]],
  ],
  [
    "a TIFF",
    post({ media: [image({ mime: "image/tiff" })] }),
    [["photo", "Image 1 is image/tiff; send JPEG, PNG, WebP or GIF."]],
  ],
  [
    "two videos",
    post({ media: [video(), video()] }),
    [["video", "Bluesky takes one video; 2 were sent."]],
  ],
  [
    "a video beside an image",
    post({ media: [image(), video()] }),
    [
      [
        "video",
        "Bluesky shows a video alone; send it without images, or up to 4 images without it.",
      ],
    ],
  ],
  [
    "a video of another type",
    post({ media: [video({ mime: "video/x-matroska" })] }),
    [["video", "The video is video/x-matroska; send MP4, QuickTime or WebM."]],
  ],
  [
    "a video of 100,000,001 bytes",
    post({ media: [video({ sizeBytes: 100_000_001 })] }),
    [["video", "The video has 100,000,001 bytes; make it 100,000,000 or less."]],
  ],
  [
    "two alt texts for a video",
    post({ media: [video()], settings: { bluesky_alt_text: ["a", "b"] } }),
    [["bluesky_alt_text", "Send at most one alt text per image or video (1 here); 2 were sent."]],
  ],
  [
    "a video's alt text of 1,001 characters",
    post({ media: [video()], settings: { bluesky_alt_text: FAMILY.repeat(1_001) } }),
    [["bluesky_alt_text", "Shorten alt text 1: Bluesky takes 1,000 characters, it has 1,001."]],
  ],
  [
    "a document",
    post({ media: [image({ kind: "document", mime: "application/pdf" })] }),
    [["photo", "Bluesky takes no documents; send up to 4 images or a video instead."]],
  ],
  [
    "more alt texts than images",
    post({ media: [image()], settings: { bluesky_alt_text: ["a", "b"] } }),
    [["bluesky_alt_text", "Send at most one alt text per image or video (1 here); 2 were sent."]],
  ],
  [
    "an alt text of 1,001 characters",
    post({
      media: [image(), image()],
      settings: { bluesky_alt_text: ["a", FAMILY.repeat(1_001)] },
    }),
    [["bluesky_alt_text", "Shorten alt text 2: Bluesky takes 1,000 characters, it has 1,001."]],
  ],
])("refuses %s", (_, refused, expected) => {
  expect(check(refused).map((error) => [error.field, error.message])).toEqual(expected);
});

test("reports every refused field at once", () => {
  const fields = check(
    post({
      description: "a".repeat(301),
      media: [...Array(5).fill(image({ mime: "image/bmp", sizeBytes: 3_000_000 }))],
      settings: { bluesky_alt_text: "x".repeat(1_001) },
    }),
  ).map((error) => error.field);
  expect(fields).toEqual(["description", ...Array(11).fill("photo"), "bluesky_alt_text"]);
});
