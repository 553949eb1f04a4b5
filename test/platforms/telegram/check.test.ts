import { expect, test } from "vitest";
import { check } from "../../../src/platforms/telegram/check.ts";
import { image, type PostChange, post, video } from "./scripted.ts";

const gif = (change = {}) => image({ mime: "image/gif", ...change });
const pdf = () => image({ kind: "document", mime: "application/pdf", width: null, height: null });
const html = { telegram_format: "html" };

test.each<[string, PostChange]>([
  ["a text", {}],
  ["a title alone", { title: "Hi", description: " " }],
  ["4,096 emoji", { description: "😀".repeat(4_096) }],
  ["1,024 emoji under a photo", { description: "😀".repeat(1_024), media: [image()] }],
  [
    "4,096 characters and their markup",
    { description: `<b>${"x".repeat(4_096)}</b>`, settings: html },
  ],
  ["angles in plain text", { description: "<b> a < b" }],
  ["a photo without text", { description: null, media: [image()] }],
  ["a photo of 10 MB", { media: [image({ sizeBytes: 10_000_000 })] }],
  ["a photo of 5,000 x 5,000", { media: [image({ width: 5_000, height: 5_000 })] }],
  ["a photo of 20:1", { media: [image({ width: 2_000, height: 100 })] }],
  ["a GIF of 50 MB", { media: [gif({ sizeBytes: 50_000_000, width: 9_000, height: 9_000 })] }],
  ["a video of 50 MB", { media: [video({ sizeBytes: 50_000_000 })] }],
  ["a document", { media: [pdf()] }],
  ["ten files", { media: [video(), ...Array.from({ length: 9 }, () => image())] }],
  [
    "an album of 100 MB",
    { media: [video({ sizeBytes: 50_000_000 }), video({ sizeBytes: 50_000_000 })] },
  ],
  ["a hidden album", { media: [image(), video()], settings: { telegram_spoiler: "true" } }],
])("takes %s", (_, change) => {
  expect(check(post(change))).toEqual([]);
});

test.each<[string, PostChange, string]>([
  ["nothing", { description: null }, "description"],
  ["markup around nothing", { description: "<b> </b>", settings: html }, "description"],
  ["4,097 characters", { description: "x".repeat(4_097) }, "description"],
  ["4,097 of a title", { title: "x".repeat(4_097), description: null }, "title"],
  [
    "1,025 characters under a video",
    { description: "x".repeat(1_025), media: [video()] },
    "description",
  ],
  ["markup that is not closed", { description: "<b>x", settings: html }, "description"],
  ["a photo above 10 MB", { media: [image({ sizeBytes: 10_000_001 })] }, "photo"],
  ["a WebP", { media: [image({ mime: "image/webp" })] }, "photo"],
  ["sides of 10,001 pixels", { media: [image({ width: 5_001, height: 5_000 })] }, "photo"],
  ["a photo of 21:1", { media: [image({ width: 100, height: 2_100 })] }, "photo"],
  ["a video above 50 MB", { media: [video({ sizeBytes: 50_000_001 })] }, "video"],
  ["a QuickTime video", { media: [video({ mime: "video/quicktime" })] }, "video"],
  ["eleven files", { media: Array.from({ length: 11 }, () => image()) }, "photo"],
  ["two documents", { media: [pdf(), pdf()] }, "photo"],
  ["a GIF beside a photo", { media: [image(), gif()] }, "photo"],
  [
    "an album above 100 MB",
    { media: Array.from({ length: 3 }, () => video({ sizeBytes: 40_000_000 })) },
    "video",
  ],
  ["a spoiler without files", { settings: { telegram_spoiler: "true" } }, "telegram_spoiler"],
  [
    "a text above a document",
    { media: [pdf()], settings: { telegram_caption_above: "true" } },
    "telegram_caption_above",
  ],
])("refuses %s", (_, change, field) => {
  expect(check(post(change)).map((error) => error.field)).toEqual([field]);
});

test("says what to do with a text that is too long for files", () => {
  const [error] = check(post({ description: "x".repeat(2_000), media: [image()] }));
  expect(error?.message).toBe(
    "Shorten the text: Telegram takes 1,024 characters beside files and 4,096 without, it has 2,000.",
  );
});
