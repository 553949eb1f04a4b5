import { describe, expect, test } from "vitest";
import type { Post, PostMedia } from "../../../src/platforms/connector.ts";
import { check } from "../../../src/platforms/threads/check.ts";
import type { ThreadsSettings } from "../../../src/platforms/threads/settings.ts";
import { countCharacters, countLinks } from "../../../src/platforms/threads/text.ts";
import { image, type PostChange, post, video } from "./scripted.ts";

/** A file behind a URL. */
const unknown = (kind: "image" | "video"): PostMedia => ({
  kind,
  mime: null,
  sizeBytes: null,
  width: null,
  height: null,
});

type Change = Omit<PostChange, "media"> & { media?: PostMedia[] };

function errorsOf({ media, ...change }: Change) {
  const whole: Post<ThreadsSettings> = { ...post(change), ...(media ? { media } : {}) };
  return check(whole);
}

const many = (count: number): PostMedia[] => Array.from({ length: count }, () => image());
const links = (count: number): string =>
  Array.from({ length: count }, (_, index) => `https://example.com/${index}`).join(" ");
const alt = (threads_alt_text: string) => ({ settings: { threads_alt_text } });

describe("takes", () => {
  test.each<[string, Change]>([
    ["a text", {}],
    ["a description in place of a title", { title: " ", description: "x" }],
    ["500 characters", { title: "x".repeat(500) }],
    ["500 letters of two bytes", { title: "ä".repeat(500) }],
    ["125 emoji of four bytes", { title: "😀".repeat(125) }],
    ["5 links, one of them twice", { title: `${links(5)} https://example.com/0.` }],
    ["one image", { media: [image()] }],
    ["one video", { media: [video({ mime: "video/quicktime" })] }],
    ["a mixed carousel of 2", { media: [image(), video()] }],
    ["a carousel of 20", { media: many(20) }],
    [
      "PNG, WebP and GIF",
      { media: ["png", "webp", "gif"].map((type) => image({ mime: `image/${type}` })) },
    ],
    ["an image of 8 MB", { media: [image({ sizeBytes: 8_000_000 })] }],
    ["a video of 1 GB", { media: [video({ sizeBytes: 1_000_000_000 })] }],
    ["an image of 10:1", { media: [image({ width: 1_000, height: 100 })] }],
    ["an alt text of 1,000 characters", { media: [image()], ...alt("x".repeat(1_000)) }],
    ["a file behind a URL, whatever it is", { media: [unknown("image")], ...alt("x") }],
    ["replies by some alone", { settings: { threads_reply_control: "mentioned_only" } }],
  ])("%s", (_, change) => {
    expect(errorsOf(change)).toEqual([]);
  });
});

describe("refuses", () => {
  test.each<[string, Change, string, RegExp]>([
    ["a post without text", { title: null }, "title", /needs text/],
    ["a photo without text", { title: " ", media: [image()] }, "title", /needs text/],
    ["501 characters", { title: "x".repeat(501) }, "title", /takes 500 characters, it has 501\.$/],
    [
      "501 characters of a description",
      { title: null, description: "x".repeat(501) },
      "description",
      /it has 501/,
    ],
    [
      "126 emoji",
      { title: "😀".repeat(126) },
      "title",
      /it has 504, which counts every emoji by its bytes/,
    ],
    ["6 links", { title: links(6) }, "title", /takes 5 different ones, the text has 6/],
    ["a carousel of 21", { media: many(21) }, "photo", /up to 20 images and videos; 21 were sent/],
    [
      "an image of more than 8 MB",
      { media: [image({ sizeBytes: 8_000_001 })] },
      "photo",
      /has 8,000,001 bytes; make it 8,000,000/,
    ],
    [
      "a video of more than 1 GB",
      { media: [video({ sizeBytes: 1_000_000_001 })] },
      "video",
      /Video 1 has 1,000,000,001 bytes/,
    ],
    ["a TIFF", { media: [image({ mime: "image/tiff" })] }, "photo", /is image\/tiff; send JPEG/],
    ["a WebM video", { media: [video({ mime: "video/webm" })] }, "video", /send MP4 or QuickTime/],
    [
      "a WebM video in a carousel",
      { media: [image(), video({ mime: "video/webm" })] },
      "photo",
      /Video 2/,
    ],
    [
      "an image wider than 10:1",
      { media: [image({ width: 1_001, height: 100 })] },
      "photo",
      /1001 x 100/,
    ],
    [
      "a document",
      { media: [image({ kind: "document", mime: "application/pdf" })] },
      "photo",
      /File 1 is a document/,
    ],
    ["an alt text without media", alt("x"), "threads_alt_text", /leave it out/],
    [
      "an alt text of 1,001 characters",
      { media: [image()], ...alt("x".repeat(1_001)) },
      "threads_alt_text",
      /takes 1,000 characters, it has 1,001/,
    ],
  ])("%s", (_, change, field, message) => {
    expect(errorsOf(change)).toEqual([{ field, message: expect.stringMatching(message) }]);
  });

  test("everything at once", () => {
    const change = { title: `${"x".repeat(501)} ${links(6)}`, media: many(21), ...alt("x") };
    expect(errorsOf(change).map(({ field }) => field)).toEqual(["title", "title", "photo"]);
  });
});

test.each([
  ["plain", 5],
  ["Grüße", 5],
  ["東京", 2],
  ["😀", 4],
  ["👍🏽", 8],
  ["👩‍👩‍👧", 18],
  ["🇩🇪", 8],
  ["1️⃣", 7],
  ["❤️", 6],
  ["#1 *2*", 6],
])("%j counts %i", (text, count) => {
  expect(countCharacters(text)).toBe(count);
});

test.each([
  ["no link, e.g. example.com or a@www.example.com", 0],
  ["https://a.com http://b.com www.c.com", 3],
  ["https://a.com, (https://a.com) https://A.com/.", 1],
  ["https://a.com/x?y=1#z https://a.com/x?y=2", 2],
  ["https://www.a.com www.a.com", 1],
])("%j has %i links", (text, count) => {
  expect(countLinks(text)).toBe(count);
});
