import type { Fields } from "../../support/harness.ts";
import { jpeg, mp4, png } from "../../support/stage.ts";
import { shortMp4 } from "../../support/videos.ts";
import type { Arrival, Row } from "../row.ts";

const PUBLISH = "POST media_publish";

const story = (kind: string, file: () => Fields): Arrival => ({
  what: `a story of one ${kind} is sent without caption and AI label, and has no address`,
  fields: () => ({
    ...file(),
    title: "Nobody reads this",
    is_aigc: "true",
    media_type: "stories",
  }),
  address: null,
  feed: { text: "", fields: { media_type: "STORIES" } },
});

export const instagram: Row = {
  platform: "instagram",
  person: "Insta",
  address: /^https:\/\/www\.instagram\.com\/(p|reel)\/[\w-]+\/$/,
  refresh: null,
  nameOf: ({ request, url }) => `${request.method} ${url.pathname.split("/").at(-1)}`,
  media: "photo",
  measured: { hasOthers: true, instantMs: 1_000, hasViews: true, counts: "likes" },
  kinds: {
    photo: {
      fields: (title) => ({ title, photo: jpeg() }),
      submit: PUBLISH,
      slow: { seconds: 90 },
    },
    reel: { fields: (title) => ({ title, video: mp4() }), submit: PUBLISH },
  },
  arrivals: [
    {
      what: "a PNG goes out as a JPEG with every field of the post",
      fields: () => ({
        photo: png(),
        title: "A red square #one",
        collaborators: "@ada, bob",
        user_tags: "carol,dan",
        location_id: "123",
        is_aigc: "TRUE",
      }),
      media: [{ kind: "image", mime: "image/jpeg" }],
      feed: {
        text: "A red square #one",
        fields: {
          caption: "A red square #one",
          collaborators: '["ada","bob"]',
          location_id: "123",
          is_ai_generated: "true",
          user_tags: JSON.stringify([
            { username: "carol", x: 0.5, y: 0.333 },
            { username: "dan", x: 0.5, y: 0.667 },
          ]),
        },
      },
    },
    {
      what: "a reel",
      fields: () => ({
        video: mp4(),
        title: "Look",
        thumb_offset: "1500",
        share_to_feed: "false",
        trial_reel: "auto",
        audio_name: "My song",
      }),
      address: /^https:\/\/www\.instagram\.com\/reel\/[\w-]+\/$/,
      feed: {
        fields: {
          media_type: "REELS",
          thumb_offset: "1500",
          share_to_feed: "false",
          trial_params: '{"graduation_strategy":"SS_PERFORMANCE"}',
          audio_name: "My song",
        },
      },
    },
    story("image", () => ({ photo: jpeg() })),
    story("video", () => ({ video: mp4() })),
  ],
  refused: [
    ["a carousel of 11", () => ({ photo: Array.from({ length: 11 }, jpeg) }), ["photo"]],
    [
      "a story with collaborators",
      () => ({ photo: jpeg(), media_type: "STORIES", collaborators: "ada" }),
      ["collaborators"],
    ],
    [
      "a story with a location",
      () => ({ photo: jpeg(), media_type: "STORIES", location_id: "1" }),
      ["location_id"],
    ],
    ["a story of two", () => ({ photo: [jpeg(), jpeg()], media_type: "STORIES" }), ["photo"]],
    ["a PNG story", () => ({ photo: png(), media_type: "STORIES" }), ["photo"]],
    ["a trial reel of a photo", () => ({ photo: jpeg(), trial_reel: "auto" }), ["trial_reel"]],
    ["no media", () => ({ title: "Only words" }), ["photo"]],
  ],
  unsendable: [
    [
      "a video that is too short",
      () => ({ video: mp4(shortMp4), title: "Blink" }),
      /lasts 1.* s; Instagram takes 3 to 900 s/,
    ],
  ],
};
