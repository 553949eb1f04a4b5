import { expect } from "vitest";
import { jpeg, mp4, png } from "../../support/stage.ts";
import type { Kind, Row } from "../row.ts";

/** One pixel. */
const gif = () =>
  new Blob([Uint8Array.fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")], {
    type: "image/gif",
  });
const pdf = () => new Blob(["%PDF-1.7\n%%EOF\n"], { type: "application/pdf" });

const MENDED: Kind["undecided"] = ["lost_reply", "killed", "5xx=2"];

const HTML = 'A <b>bold</b> &amp; <a href="https://example.com/?a=1&amp;b=2">linked</a> word';

export const telegram: Row = {
  platform: "telegram",
  address: /^https:\/\/t\.me\/sandbox_ada_\d+_\d{6}\/\d+$/,
  refresh: null,
  nameOf: ({ url }) => url.pathname.split("/").at(-1) ?? "",
  media: "photo",
  kinds: {
    text: {
      fields: (description) => ({ description }),
      submit: "sendMessage",
      undecided: MENDED,
    },
    album: {
      fields: (description) => ({ description, photo: [jpeg(), png()] }),
      submit: "sendMediaGroup",
      undecided: MENDED,
    },
    video: {
      fields: (description) => ({ description, video: mp4() }),
      submit: "sendVideo",
      undecided: MENDED,
    },
  },
  arrivals: [
    {
      what: "a text, with every setting",
      fields: () => ({
        description: "Hello @ada, read https://example.com",
        telegram_silent: "true",
        telegram_protect_content: "true",
        telegram_link_preview: "false",
        telegram_topic_id: "7",
      }),
      calls: ["sendMessage"],
      feed: {
        text: "Hello @ada, read https://example.com",
        fields: {
          disable_notification: true,
          protect_content: true,
          link_preview_options: { is_disabled: true },
          message_thread_id: 7,
        },
      },
    },
    {
      what: "HTML as text and entities",
      fields: () => ({ description: HTML, telegram_format: "html" }),
      feed: {
        text: "A bold & linked word",
        fields: {
          entities: [
            { type: "bold", offset: 2, length: 4 },
            { type: "text_link", offset: 9, length: 6, url: "https://example.com/?a=1&b=2" },
          ],
        },
      },
    },
    {
      what: "a title where there is no description, beside a hidden photo with the text above",
      fields: () => ({
        title: "Only a title",
        photo: jpeg(),
        telegram_spoiler: "1",
        telegram_caption_above: "1",
      }),
      calls: ["sendPhoto"],
      feed: {
        text: "Only a title",
        fields: { has_spoiler: true, show_caption_above_media: true },
      },
    },
    {
      what: "a video with what phones need to know of it",
      fields: () => ({ video: mp4() }),
      calls: ["sendVideo"],
      feed: {
        text: "",
        fields: { width: expect.any(Number), height: expect.any(Number), supports_streaming: true },
      },
    },
    {
      what: "a GIF that moves",
      fields: () => ({ description: "Look", photo: gif() }),
      calls: ["sendAnimation"],
      feed: { text: "Look" },
    },
    {
      what: "a document",
      fields: () => ({ description: "Read", photo: pdf() }),
      calls: ["sendDocument"],
      feed: { text: "Read" },
    },
    {
      what: "an album of ten, photos and videos",
      fields: () => ({
        description: "Ten",
        photo: [mp4(), ...Array.from({ length: 9 }, (_, index) => (index % 2 ? png() : jpeg()))],
      }),
      calls: ["sendMediaGroup"],
      feed: { text: "Ten" },
    },
  ],
  refused: [
    ["nothing", () => ({ description: " " }), ["description"]],
    ["4,097 characters", () => ({ description: "x".repeat(4_097) }), ["description"]],
    [
      "1,025 characters under a photo",
      () => ({ description: "x".repeat(1_025), photo: jpeg() }),
      ["description"],
    ],
    ["an album of eleven", () => ({ photo: Array.from({ length: 11 }, jpeg) }), ["photo"]],
    ["a GIF among photos", () => ({ photo: [gif(), jpeg()] }), ["photo"]],
    [
      "HTML that is not closed",
      () => ({ description: "<b>x", telegram_format: "html" }),
      ["description"],
    ],
    [
      "a format that there is not",
      () => ({ description: "x", telegram_format: "markdown" }),
      ["telegram_format"],
    ],
    [
      "the number of the topic General",
      () => ({ description: "x", telegram_topic_id: "1" }),
      ["telegram_topic_id"],
    ],
    [
      "a spoiler without a photo",
      () => ({ description: "x", telegram_spoiler: "true" }),
      ["telegram_spoiler"],
    ],
  ],
  unsendable: [],
};
