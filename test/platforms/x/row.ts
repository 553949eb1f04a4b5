import { jpeg, mp4, png } from "../../support/stage.ts";
import { lasting, verticalMp4 } from "../../support/videos.ts";
import type { Row } from "../row.ts";

/** 1 x 1. */
const gif = () =>
  new Blob(
    [
      Uint8Array.from(atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"), (letter) =>
        letter.charCodeAt(0),
      ),
    ],
    { type: "image/gif" },
  );

const SUBTITLES = "https://subtitles.sandbox.test/hello.srt";

export const POST = "POST /2/tweets";
export const LOOK = "GET /2/users/ID/tweets";

export const x: Row = {
  platform: "x",
  address: /^https:\/\/x\.com\/ada_\d+\/status\/\d{18,19}$/,
  refresh: "POST /2/oauth2/token",
  nameOf: ({ request, url }) => `${request.method} ${url.pathname.replace(/\d{5,}/, "ID")}`,
  usual: () => ({ title: "Hello" }),
  media: "photo",
  // X charges for each post that is read.
  measured: { hasOthers: false, instantMs: 1, hasViews: true, counts: "likes" },
  kinds: {
    text: {
      fields: (text) => ({ title: `${text} example.com/a?b=1&c=<2>` }),
      submit: POST,
      // The second wait exceeds X's lag, so X is asked once more before the next call.
      calls: { "5xx=2": { [POST]: 3, [LOOK]: 3 } },
    },
    "long text": {
      fields: (text) => ({ title: `${"Long ".repeat(80)}${text}`, x_premium: "true" }),
      submit: POST,
    },
    images: { fields: (title) => ({ title, photo: [jpeg(), png()] }), submit: POST },
    video: { fields: (title) => ({ title, video: mp4() }), submit: POST },
  },
  arrivals: [
    {
      what: "a post of text alone is one call, with the fields that were given",
      fields: () => ({
        title: "Look at example.com & <this>",
        x_reply_settings: "mentionedUsers",
        x_made_with_ai: "true",
        x_paid_partnership: "true",
        x_community_id: "1493446837214187523",
        x_share_with_followers: "true",
      }),
      calls: [POST],
      feed: {
        text: "Look at example.com & <this>",
        fields: {
          text: "Look at example.com & <this>",
          reply_settings: "mentionedUsers",
          made_with_ai: true,
          paid_partnership: true,
          community_id: "1493446837214187523",
          share_with_followers: true,
        },
      },
    },
    {
      what: "a poll",
      fields: () => ({ x_poll_options: "Tea, Coffee", x_poll_duration_minutes: "60" }),
      feed: { fields: { poll: { options: ["Tea", "Coffee"], duration_minutes: 60 } } },
    },
    {
      what: "a GIF goes up in segments, without any text",
      fields: () => ({ title: "", photo: gif() }),
      first: ["POST /2/media/upload/initialize"],
      feed: { text: "" },
    },
    {
      what: "a video with subtitles",
      fields: () => ({
        video: mp4(),
        x_subtitles_url: SUBTITLES,
        x_subtitles_language: "de",
      }),
      feed: { fields: { subtitles: [{ language_code: "DE", display_name: "German" }] } },
    },
    {
      what: "a video of three minutes, with its subtitles",
      fields: () => ({ video: mp4(lasting(180)), x_subtitles_url: SUBTITLES }),
      feed: { fields: { subtitles: [{ language_code: "EN" }] } },
    },
  ],
  refused: [
    ["nothing at all", () => ({ title: "" }), ["title"]],
    ["281 characters", () => ({ title: "x".repeat(281) }), ["title"]],
    ["a photo beside a video", () => ({ video: mp4(), photo: jpeg() }), ["video"]],
    ["five photos", () => ({ photo: Array.from({ length: 5 }, jpeg) }), ["photo"]],
    ["a poll with a photo", () => ({ photo: jpeg(), x_poll_options: "a,b" }), ["x_poll_options"]],
    ["alternative text alone", () => ({ x_alt_text: "A square" }), ["x_alt_text"]],
    ["tags in a video", () => ({ video: mp4(), x_tagged_users: "ada" }), ["x_tagged_users"]],
    ["an odd community", () => ({ x_community_id: "mine" }), ["x_community_id"]],
    ["an unknown field", () => ({ x_shout: "true" }), ["x_shout"]],
  ],
  unsendable: [
    [
      "a file that only looks like a video",
      () => ({ video: mp4(verticalMp4.slice(0, 400)) }),
      /^The file is not a readable video\.$/,
    ],
  ],
};
