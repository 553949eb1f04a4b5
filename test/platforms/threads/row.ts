import { jpeg, mp4, png } from "../../support/stage.ts";
import type { Row } from "../row.ts";

const links = Array.from({ length: 6 }, (_, index) => `https://example.com/${index}`).join(" ");

export const PUBLISH = "POST threads_publish";

export const threads: Row = {
  platform: "threads",
  person: "Threads",
  address: /^https:\/\/www\.threads\.com\/@threads_\d+\/post\/[\w-]+$/,
  refresh: null,
  nameOf: ({ request, url }) => `${request.method} ${url.pathname.split("/").at(-1)}`,
  media: "photo",
  measured: { hasOthers: true, instantMs: 1_000, hasViews: true, counts: "likes" },
  kinds: {
    text: { fields: (title) => ({ title }), submit: PUBLISH },
    photo: {
      fields: (title) => ({ title, photo: jpeg() }),
      submit: PUBLISH,
      slow: { seconds: 90 },
    },
    carousel: { fields: (title) => ({ title, photo: [jpeg(), png()] }), submit: PUBLISH },
  },
  arrivals: [
    {
      what: "a text goes out alone",
      fields: () => ({ title: "Only words, 東京 and 😀" }),
      feed: {
        text: "Only words, 東京 and 😀",
        fields: { media_type: "TEXT", text: "Only words, 東京 and 😀" },
      },
    },
    {
      what: "a PNG goes out as it is, with every field of the post",
      fields: () => ({
        photo: png(),
        description: "A red square",
        threads_alt_text: "Red",
        threads_reply_control: "Accounts_You_Follow",
      }),
      feed: {
        text: "A red square",
        fields: {
          media_type: "IMAGE",
          text: "A red square",
          alt_text: "Red",
          reply_control: "accounts_you_follow",
        },
      },
    },
    {
      what: "a video",
      fields: () => ({ video: mp4(), title: "Look", threads_alt_text: "Moves" }),
      feed: { fields: { media_type: "VIDEO", text: "Look", alt_text: "Moves" } },
    },
    {
      what: "a mixed carousel keeps its order, with the alt text on every item",
      fields: () => ({
        photo: [mp4(), jpeg(), png()],
        title: "Three",
        threads_alt_text: "All",
        threads_reply_control: "followers_only",
      }),
      feed: {
        fields: {
          media_type: "CAROUSEL",
          text: "Three",
          reply_control: "followers_only",
          items: [
            { media_type: "VIDEO", alt_text: "All" },
            { media_type: "IMAGE", alt_text: "All" },
            { media_type: "IMAGE", alt_text: "All" },
          ],
        },
      },
    },
    {
      what: "a carousel of 20, over more than one run",
      fields: () => ({
        photo: Array.from({ length: 20 }, (_, index) => (index % 2 ? png() : jpeg())),
        title: "Twenty",
      }),
      feed: {},
    },
  ],
  refused: [
    [
      "a carousel of 21",
      () => ({ title: "x", photo: Array.from({ length: 21 }, jpeg) }),
      ["photo"],
    ],
    ["a photo without text", () => ({ photo: jpeg() }), ["title"]],
    ["501 characters", () => ({ title: "x".repeat(501) }), ["title"]],
    ["126 emoji", () => ({ title: "😀".repeat(126) }), ["title"]],
    ["6 links", () => ({ title: links }), ["title"]],
    [
      "an alt text without media",
      () => ({ title: "x", threads_alt_text: "x" }),
      ["threads_alt_text"],
    ],
    [
      "an alt text of 1,001 characters",
      () => ({ title: "x", photo: jpeg(), threads_alt_text: "x".repeat(1_001) }),
      ["threads_alt_text"],
    ],
    [
      "a reply control that there is not",
      () => ({ title: "x", threads_reply_control: "friends" }),
      ["threads_reply_control"],
    ],
  ],
  unsendable: [],
};
