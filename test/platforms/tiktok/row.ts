import type { Fields } from "../../support/harness.ts";
import { jpeg, mp4, png } from "../../support/stage.ts";
import { verticalMp4 } from "../../support/videos.ts";
import type { Arrival, Row } from "../row.ts";

const PHOTO = { kind: "image", mime: "image/jpeg" };
const emoji89 = `${"x".repeat(89)}😀`;

const mediaOf = (fields: Fields) => ("photo" in fields ? [PHOTO] : undefined);

const inboxed = (post_mode: string, what: string, fields: Fields, feed: object): Arrival => ({
  what: `${post_mode} puts ${what} into the inbox`,
  fields: () => ({ ...fields, post_mode }),
  calls: { "creator_info/query/": 0 },
  address: null,
  media: mediaOf(fields),
  feed: { ...feed },
});

function privateOnly(what: string, fields: Fields): Arrival[] {
  const seen = {
    address: null,
    media: mediaOf(fields),
    feed: { fields: { post_info: { privacy_level: "SELF_ONLY" } } },
  };
  return [
    {
      what: `${what}: a level that the creator cannot use falls back to SELF_ONLY, which has no address`,
      fields: () => ({ ...fields, privacy_level: "FOLLOWER_OF_CREATOR" }),
      warnings: /FOLLOWER_OF_CREATOR.*SELF_ONLY/,
      ...seen,
    },
    {
      what: `${what}: an app that is not audited posts as SELF_ONLY, and says so`,
      fields: () => fields,
      person: "Unaudited Ada",
      warnings: /audit.*SELF_ONLY/,
      ...seen,
    },
  ];
}

export const tiktok: Row = {
  platform: "tiktok",
  address: /^https:\/\/www\.tiktok\.com\/@ada_\d+\/video\/75\d{17}$/,
  refresh: "oauth/token/",
  nameOf: ({ url }) => url.pathname.replace("/v2/", "").replace("post/publish/", ""),
  usual: () => ({ title: "Look" }),
  asks: ["creator_info/query/"],
  media: "video",
  measured: { hasOthers: true, instantMs: 1_000, hasViews: true, counts: "likes" },
  kinds: {
    video: {
      fields: (title) => ({ title, video: mp4() }),
      submit: "/video/",
      calls: { "5xx=2": { "/video/": 3, "video/init/": 1 } },
      slow: { seconds: 100, asks: ["status/fetch/", 7] },
    },
    photos: {
      fields: (title) => ({ title, photo: jpeg() }),
      submit: "content/init/",
      // The photos may be in processing.
      calls: { "5xx=2": { "content/init/": 1 } },
      undecided: ["5xx=2"],
    },
  },
  arrivals: [
    {
      what: "a video",
      fields: () => ({ video: mp4(), description: "More of it", is_aigc: "true" }),
      first: ["creator_info/query/", "video/init/", "/video/"],
      calls: { "/video/": 1 },
      feed: {
        text: "Look\nMore of it",
        fields: {
          post_info: {
            title: "Look\nMore of it",
            privacy_level: "PUBLIC_TO_EVERYONE",
            is_aigc: true,
            brand_content_toggle: false,
          },
          source_info: { source: "FILE_UPLOAD", total_chunk_count: 1 },
        },
      },
    },
    {
      what: "photos are pulled from us as JPEGs of 1080 x 1920",
      fields: () => ({ photo: [jpeg(), jpeg()], title: emoji89, photo_cover_index: "2" }),
      media: [PHOTO, PHOTO],
      feed: {
        fields: {
          post_mode: "DIRECT_POST",
          is_aigc: false,
          post_info: {
            title: "x".repeat(89),
            description: emoji89,
            privacy_level: "PUBLIC_TO_EVERYONE",
          },
          source_info: { photo_cover_index: 1 },
        },
      },
    },
    ...["DRAFT", "MEDIA_UPLOAD"].flatMap((post_mode) => [
      inboxed(post_mode, "a video", { video: mp4() }, { text: "" }),
      inboxed(post_mode, "photos", { photo: jpeg(), title: "A draft" }, { text: "A draft" }),
    ]),
    ...privateOnly("a video", { video: mp4() }),
    ...privateOnly("photos", { photo: jpeg() }),
  ],
  refused: [
    ["a PNG", () => ({ photo: png() }), ["photo"]],
    ["no title", () => ({ title: [], video: mp4() }), ["title"]],
    ["no media", () => ({}), ["video"]],
    ["a photo beside the video", () => ({ photo: jpeg(), video: mp4() }), ["video"]],
    [
      "an unknown privacy level",
      () => ({ video: mp4(), privacy_level: "EVERYBODY" }),
      ["privacy_level"],
    ],
    [
      "a cover that is not there",
      () => ({ photo: jpeg(), photo_cover_index: "2" }),
      ["photo_cover_index"],
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
