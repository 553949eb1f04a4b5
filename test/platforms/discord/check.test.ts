import { expect, test } from "vitest";
import { check } from "../../../src/platforms/discord/check.ts";
import { BOT, image, type JobChange, NOW, post, video, WEBHOOK } from "./scripted.ts";

const MIB = 1_024 ** 2;
const problems = ({ account = WEBHOOK, ...change }: JobChange) =>
  check(post(change), { now: NOW, platformAccountId: account });

test.each<[string, JobChange]>([
  ["2,000 emoji, which have more units", { description: "😀".repeat(2_000) }],
  ["a title in place of the text", { title: "Hello", description: " " }],
  ["a file without a text", { description: null, media: [image()] }],
  ["ten files", { media: Array.from({ length: 10 }, () => image()) }],
  ["a file of 10 MiB", { media: [image({ sizeBytes: 10 * MIB })] }],
  [
    "images, a video and a document together",
    { media: [image(), video(), image({ kind: "document", mime: "application/pdf" })] },
  ],
  ["1,024 characters of alt text", { media: [image({ altText: "é".repeat(1_024) })] }],
  ["five tags", { settings: { discord_tags: "1,2,3,4,5" } }],
  ["a thread", { settings: { discord_thread_id: "123" } }],
])("takes %s", (_, change) => {
  expect(problems(change)).toEqual([]);
});

test.each<[string, JobChange, string]>([
  ["nothing", { description: null }, "description"],
  ["2,001 characters", { description: "x".repeat(2_001) }, "description"],
  ["2,001 of a title", { title: "x".repeat(2_001), description: null }, "title"],
  ["eleven files", { media: Array.from({ length: 11 }, () => image()) }, "photo"],
  ["an image above 10 MiB", { media: [image({ sizeBytes: 10 * MIB + 1 })] }, "photo"],
  ["a video above 10 MiB", { media: [video({ sizeBytes: 10 * MIB + 1 })] }, "video"],
  [
    "25 MiB in three files",
    { media: Array.from({ length: 3 }, () => image({ sizeBytes: 8.5 * MIB })) },
    "photo",
  ],
  ["a BMP", { media: [image({ mime: "image/bmp" })] }, "photo"],
  ["1,025 of alt text", { media: [image({ altText: "é".repeat(1_025) })] }, "alt_text"],
  [
    "tags for a thread that is there",
    { settings: { discord_thread_id: "1", discord_tags: "2" } },
    "discord_tags",
  ],
  [
    "tags where there is no forum",
    { account: BOT, settings: { discord_tags: "2" } },
    "discord_tags",
  ],
])("refuses %s", (_, change, field) => {
  expect(problems(change).map((one) => one.field)).toEqual([field]);
});
