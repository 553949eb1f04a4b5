import { expect } from "vitest";
import type { SimulatedCall } from "../../../src/sandbox/kit/state-call.ts";
import { jpeg, mp4, png } from "../../support/stage.ts";
import { shortMp4 } from "../../support/videos.ts";
import type { Row } from "../row.ts";

/** For example `POST videos start`. */
async function nameOf({ request, url }: SimulatedCall): Promise<string> {
  const body = new TextDecoder().decode(await request.clone().arrayBuffer());
  const phase = /upload_phase"?(?:=|\s+)(start|transfer|finish)/.exec(body)?.[1];
  const edge = url.pathname
    .split("/")
    .at(-1)
    ?.replace(/^[\d_]+$/, "node");
  return [request.method, edge, phase].filter(Boolean).join(" ");
}

export const facebook: Row = {
  platform: "facebook",
  person: "Page",
  address: /^https:\/\/www\.facebook\.com\/\d+\/posts\/\d+$/,
  refresh: null,
  nameOf,
  media: "photo",
  measured: { hasOthers: true, instantMs: 1_000, hasViews: true, counts: "likes" },
  kinds: {
    text: { fields: (description) => ({ description }), submit: "POST feed" },
    photo: { fields: (description) => ({ description, photo: jpeg() }), submit: "POST photos" },
    album: {
      fields: (description) => ({ description, photo: [jpeg(), png()] }),
      submit: "POST feed",
    },
    video: {
      fields: (description) => ({ description, video: mp4() }),
      submit: "POST videos finish",
      slow: { seconds: 90, asks: ["GET node", 7] },
    },
    reel: {
      fields: (description) => ({ description, video: mp4(), media_type: "REELS" }),
      submit: "POST video_reels finish",
      slow: { seconds: 90, asks: ["GET node", 7] },
    },
  },
  arrivals: [
    {
      what: "a text goes out with its link",
      fields: () => ({
        description: "Read this\nand that",
        title: "Not sent",
        link: "https://example.com/a?b=1",
        is_aigc: "true",
      }),
      feed: {
        text: "Read this\nand that",
        fields: {
          message: "Read this\nand that",
          link: "https://example.com/a?b=1",
          published: "true",
        },
      },
    },
    {
      what: "a photo goes out byte for byte, under its title where it has no description",
      fields: () => ({ photo: png(), title: "A red square" }),
      address: /^https:\/\/www\.facebook\.com\/./,
      feed: { text: "A red square" },
    },
    {
      what: "a photo made by AI goes out as a JPEG that says so",
      fields: () => ({ photo: png(), description: "Made up", is_aigc: "true" }),
      address: /^https:\/\/www\.facebook\.com\/./,
      media: [{ mime: "image/jpeg" }],
      feed: { fields: { url: expect.stringContaining("/labelled") } },
    },
    {
      what: "an album keeps its order, and its photos are staged one by one",
      fields: () => ({ photo: [jpeg(), png(), jpeg()], description: "Three" }),
      first: ["POST photos", "POST photos", "POST photos", "POST feed"],
      feed: { text: "Three" },
    },
    {
      // Too short for a reel.
      what: "a video is pushed whole",
      fields: () => ({ video: mp4(shortMp4), title: "Blink", description: "An eye" }),
      first: ["POST videos start", "POST videos transfer", "POST videos finish"],
      address: /^https:\/\/www\.facebook\.com\/\d+\/videos\/\d+\/$/,
      feed: {
        text: "An eye",
        fields: { title: "Blink", description: "An eye", published: "true" },
      },
    },
    {
      what: "a reel is pulled from us; the label that its API refuses is left out",
      fields: () => ({
        video: mp4(),
        media_type: "reels",
        title: "T",
        description: "Look",
        is_aigc: "true",
      }),
      calls: { "POST video_reels start": 1, "POST node": 1, "POST video_reels finish": 2 },
      address: /^https:\/\/www\.facebook\.com\/reel\/\d+\/$/,
      warnings: /./,
      feed: {
        text: "Look",
        fields: { video_state: "PUBLISHED", description: "Look", title: "T" },
      },
    },
  ],
  refused: [
    ["a text post without a description", () => ({ title: "Only a title" }), ["description"]],
    ["an album of 11", () => ({ photo: Array.from({ length: 11 }, jpeg) }), ["photo"]],
    ["a video in an album", () => ({ photo: [jpeg(), mp4()] }), ["photo"]],
    ["a photo as a reel", () => ({ photo: jpeg(), media_type: "REELS" }), ["media_type"]],
    ["a story", () => ({ photo: jpeg(), media_type: "STORIES" }), ["media_type"]],
    ["a long title", () => ({ photo: jpeg(), title: "x".repeat(256) }), ["title"]],
    ["a broken link", () => ({ description: "x", link: "example" }), ["link"]],
  ],
  unsendable: [
    [
      "a reel that is too short",
      () => ({ video: mp4(shortMp4), media_type: "REELS", description: "Blink" }),
      /lasts 1.* s; a Facebook reel lasts 3 to 90 s/,
    ],
  ],
};
