import { expect } from "vitest";
import { boardsOf } from "../../../src/sandbox/pinterest/boards.ts";
import { jpeg, mp4, png } from "../../support/stage.ts";
import { shortMp4 } from "../../support/videos.ts";
import type { Row } from "../row.ts";

export const PINS = "POST pins";

export const boardOf = async (name: string): Promise<string> => (await boardsOf(name))[0]?.id ?? "";

const made = { "5xx=2": { [PINS]: 3, "GET boards/ID/pins": 2 } };

/** A pin with every field that identifies it. */
const wordy = (title: string) => ({
  title,
  link: "https://example.com",
  description: "One\r\n\r\ntwo ",
});

export const pinterest: Row = {
  platform: "pinterest",
  address: /^https:\/\/www\.pinterest\.com\/pin\/\d+\/$/,
  refresh: "POST oauth/token",
  nameOf: ({ request, url }) =>
    `${request.method} ${url.pathname.replace("/v5/", "").replace(/\d{17,}/, "ID")}`,
  usual: async (name) => ({ title: "Look", pinterest_board_id: await boardOf(name) }),
  media: "photo",
  measured: { hasOthers: true, instantMs: 1_000, hasViews: true, counts: "shares" },
  kinds: {
    image: {
      fields: (title) => ({ ...wordy(title), photo: jpeg() }),
      submit: PINS,
      calls: made,
      slow: { seconds: 1 },
    },
    carousel: {
      fields: (title) => ({ ...wordy(title), photo: [jpeg(), jpeg()] }),
      submit: PINS,
      calls: made,
    },
    video: {
      fields: (title) => ({ ...wordy(title), video: mp4() }),
      submit: PINS,
      calls: made,
    },
  },
  arrivals: [
    {
      what: "an image is pulled from us as it is and becomes a pin with all its fields",
      fields: () => ({
        photo: jpeg(),
        description: "More of it",
        link: "https://example.com/shop?a=1",
        alt_text: "A square",
      }),
      calls: [PINS],
      feed: {
        text: "Look\nMore of it",
        fields: {
          board_id: expect.stringMatching(/^\d+$/),
          title: "Look",
          description: "More of it",
          link: "https://example.com/shop?a=1",
          alt_text: "A square",
          media_source: { source_type: "image_url" },
        },
      },
    },
    {
      what: "2 to 5 images become a carousel in their order",
      fields: () => ({ photo: [jpeg(), png(), jpeg(), png(), jpeg()] }),
      feed: { fields: { media_source: { source_type: "multiple_image_urls", index: 0 } } },
    },
    {
      what: "a video goes up whole in one form, is waited for, and becomes a pin with its cover",
      fields: () => ({ video: mp4(), pinterest_cover_time_ms: "1600" }),
      calls: ["POST media", "POST /", "GET media/ID", "GET media/ID", PINS],
      feed: {
        fields: { media_source: { source_type: "video_id", cover_image_key_frame_time: 2 } },
      },
    },
  ],
  refused: [
    ["no board", () => ({ photo: jpeg(), pinterest_board_id: [] }), ["pinterest_board_id"]],
    [
      "a board that is no number",
      () => ({ photo: jpeg(), pinterest_board_id: "ideas" }),
      ["pinterest_board_id"],
    ],
    [
      "a bad link and nothing else",
      () => ({ photo: jpeg(), title: [], link: "ftp://example.com" }),
      ["link"],
    ],
    ["a title of 101", () => ({ photo: jpeg(), title: "x".repeat(101) }), ["title"]],
    ["no media", () => ({}), ["photo"]],
    ["6 images", () => ({ photo: Array.from({ length: 6 }, jpeg) }), ["photo"]],
    ["an image beside a video", () => ({ photo: jpeg(), video: mp4() }), ["video"]],
    [
      "a cover time with an image",
      () => ({ photo: jpeg(), pinterest_cover_time_ms: "0" }),
      ["pinterest_cover_time_ms"],
    ],
    ["a GIF", () => ({ photo: new Blob(["GIF89a..........."]) }), ["photo"]],
  ],
  unsendable: [
    [
      "a video that is too short",
      () => ({ video: mp4(shortMp4) }),
      /^The video lasts 1 seconds; Pinterest takes 4 to 900\.$/,
    ],
  ],
};
