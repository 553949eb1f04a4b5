import { jpeg, mp4 } from "../../support/stage.ts";
import { verticalMp4 } from "../../support/videos.ts";
import type { Row } from "../row.ts";

const SIZE = verticalMp4.byteLength;
const WHOLE = `PUT bytes 0-${SIZE - 1}/${SIZE}`;
export const OPEN = "POST /upload/youtube/v3/videos";

export const youtube: Row = {
  platform: "youtube",
  address: /^https:\/\/www\.youtube\.com\/watch\?v=[\w-]{11}$/,
  refresh: "POST /token",
  nameOf: ({ url, request: { method, headers } }) =>
    `${method} ${headers.get("content-range") ?? url.pathname}`,
  usual: () => ({ title: "Look" }),
  media: "video",
  measured: { hasOthers: true, instantMs: 1, hasViews: true, counts: "likes" },
  kinds: {
    video: {
      fields: (title) => ({ title, video: mp4() }),
      submit: WHOLE,
      calls: {
        // The session tells what the lost answer said.
        lost_reply: { [OPEN]: 1, [`PUT bytes */${SIZE}`]: 1 },
        "5xx=2": { [OPEN]: 1 },
      },
      slow: { seconds: 100, asks: ["GET /youtube/v3/videos", 3] },
    },
  },
  arrivals: [
    {
      what: "a video goes out with all of its fields",
      fields: () => ({
        video: mp4(),
        description: "More of it",
        tags: "one, two words",
        categoryId: "10",
        privacyStatus: "unlisted",
        embeddable: "false",
        license: "creativeCommon",
        publicStatsViewable: "false",
        selfDeclaredMadeForKids: "false",
        madeForKids: "true",
        containsSyntheticMedia: "true",
        hasPaidProductPlacement: "true",
        defaultLanguage: "en",
        defaultAudioLanguage: "pt-BR",
        recordingDate: "2026-11-01",
        notifySubscribers: "false",
      }),
      calls: { [OPEN]: 1, [WHOLE]: 1 },
      feed: {
        text: "Look\nMore of it",
        fields: {
          snippet: {
            title: "Look",
            description: "More of it",
            tags: ["one", "two words"],
            categoryId: "10",
            defaultLanguage: "en",
            defaultAudioLanguage: "pt-BR",
          },
          status: {
            privacyStatus: "unlisted",
            embeddable: false,
            license: "creativeCommon",
            publicStatsViewable: false,
            selfDeclaredMadeForKids: false,
            containsSyntheticMedia: true,
          },
          recordingDetails: { recordingDate: "2026-11-01T00:00:00.000Z" },
          paidProductPlacementDetails: { hasPaidProductPlacement: true },
          notifySubscribers: false,
        },
      },
    },
    {
      what: "a scheduled video is private until then; images beside it are not used",
      fields: () => ({
        title: [],
        youtube_title: "Soon",
        video: mp4(),
        photo: jpeg(),
        scheduledDate: "2026-12-24T18:00:00+01:00",
      }),
      media: [{ kind: "video", sizeBytes: SIZE }],
      feed: {
        fields: {
          snippet: { title: "Soon" },
          status: { privacyStatus: "private", publishAt: "2026-12-24T17:00:00.000Z" },
        },
      },
    },
  ],
  refused: [
    ["no title", () => ({ title: [], video: mp4() }), ["title"]],
    ["a title of 101 characters", () => ({ title: "x".repeat(101), video: mp4() }), ["title"]],
    ["no video", () => ({}), ["video"]],
    ["images alone", () => ({ photo: jpeg() }), ["video"]],
    ["an unknown privacy", () => ({ video: mp4(), privacyStatus: "friends" }), ["privacyStatus"]],
    [
      "a date in the past",
      () => ({ video: mp4(), scheduledDate: "2026-12-01T08:59:59Z" }),
      ["scheduledDate"],
    ],
    [
      "countries both allowed and blocked",
      () => ({ video: mp4(), allowedCountries: "DE", blockedCountries: "AT" }),
      ["blockedCountries"],
    ],
    // A field that cannot be read does not hide errors of other fields.
    [
      "a licence and a title that cannot be read",
      () => ({ title: [], video: mp4(), youtube_title: "x".repeat(101), license: "mine" }),
      ["license", "youtube_title"],
    ],
  ],
  unsendable: [
    [
      "a file that only looks like a video",
      () => ({ video: mp4(verticalMp4.slice(0, 400)) }),
      /^The file is not a readable video\.$/,
    ],
  ],
};
