import { jpeg, mp4, png } from "../../support/stage.ts";
import type { Row } from "../row.ts";

export const POST = "POST /api/v1/statuses";
export const LOOK = "GET /api/v1/accounts/ID/statuses";

export const mastodon: Row = {
  platform: "mastodon",
  address: /^https:\/\/mastodon\.sandbox\.test\/@ada_\d+\/\d+$/,
  refresh: null,
  nameOf: ({ request, url }) => `${request.method} ${url.pathname.replace(/\d{5,}/, "ID")}`,
  media: "photo",
  measured: { hasOthers: true, instantMs: 1, hasViews: false, counts: "likes" },
  kinds: {
    text: {
      fields: (text) => ({
        description: `${text} https://example.com/a?b=1&c=<2> @ada@remote.test`,
      }),
      submit: POST,
    },
    images: { fields: (description) => ({ description, photo: [jpeg(), png()] }), submit: POST },
    video: { fields: (description) => ({ description, video: mp4() }), submit: POST },
  },
  arrivals: [
    {
      what: "a post of text alone is one call, with the fields that were given",
      fields: () => ({
        title: "For the team",
        description: "Look at example.com & <this>",
        mastodon_visibility: "unlisted",
        mastodon_content_warning: "Links",
        mastodon_language: "pt-BR",
      }),
      calls: [POST],
      feed: {
        text: "Look at example.com & <this>",
        fields: { visibility: "unlisted", spoiler_text: "Links", language: "pt-BR" },
      },
    },
    {
      what: "a poll",
      fields: () => ({
        description: "Which?",
        mastodon_poll_options: "Tea, Coffee",
        mastodon_poll_duration_minutes: "60",
        mastodon_poll_multiple: "true",
      }),
      feed: {
        fields: { poll: { options: ["Tea", "Coffee"], expires_in: 3_600, multiple: true } },
      },
    },
    {
      what: "images go up first, with alt text and focus",
      fields: () => ({
        description: "Two",
        photo: [jpeg(), png()],
        alt_text: '["A red square","A blue one"]',
        mastodon_focus: '["0.0,0.5",""]',
        mastodon_sensitive: "true",
      }),
      calls: ["POST /api/v2/media", "POST /api/v2/media", POST],
      feed: { text: "Two", fields: { sensitive: true, focus: ["0,0.5", ""] } },
    },
    {
      what: "a video is waited for",
      fields: () => ({ description: "Look", video: mp4() }),
      first: ["POST /api/v2/media", "GET /api/v1/media/ID"],
      feed: { text: "Look" },
    },
  ],
  refused: [
    ["nothing at all", () => ({ description: "" }), ["description"]],
    ["501 characters", () => ({ description: "x".repeat(501) }), ["description"]],
    [
      "500 characters behind a content warning",
      () => ({ description: "x".repeat(500), mastodon_content_warning: "y" }),
      ["description"],
    ],
    ["a photo beside a video", () => ({ video: mp4(), photo: jpeg() }), ["video"]],
    ["five photos", () => ({ photo: Array.from({ length: 5 }, jpeg) }), ["photo"]],
    [
      "a poll with a photo",
      () => ({ description: "x", photo: jpeg(), mastodon_poll_options: "a,b" }),
      ["mastodon_poll_options"],
    ],
    [
      "a poll of one choice",
      () => ({ description: "x", mastodon_poll_options: "a" }),
      ["mastodon_poll_options"],
    ],
    [
      "the length of no poll",
      () => ({ description: "x", mastodon_poll_duration_minutes: "60" }),
      ["mastodon_poll_duration_minutes"],
    ],
    [
      "a focus outside the picture",
      () => ({ description: "x", photo: jpeg(), mastodon_focus: "2,0" }),
      ["mastodon_focus"],
    ],
    [
      "a visibility that there is not",
      () => ({ description: "x", mastodon_visibility: "friends" }),
      ["mastodon_visibility"],
    ],
    ["an unknown field", () => ({ description: "x", mastodon_shout: "true" }), ["mastodon_shout"]],
  ],
  unsendable: [],
};
