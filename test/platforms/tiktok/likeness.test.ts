import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import { publish, testTexts } from "../sent-texts.ts";
import {
  CREATOR,
  data,
  type JobChange,
  job,
  photo,
  post,
  scriptedFetch,
  UPLOAD_URL,
} from "./scripted.ts";

const media = [photo()];
const DRAFT = { post_mode: "DRAFT" };
const LONG = `${"x".repeat(89)}😀 and more`;
const CUT = "x".repeat(89);

async function send(change: JobChange) {
  const task = { publish_id: "p~1", upload_url: UPLOAD_URL };
  const { fetch, calls } = scriptedFetch({
    "creator_info/query/": [data(CREATOR)],
    "video/init/": [data(task)],
    "inbox/video/init/": [data(task)],
    "/video/": [new Response(null, { status: 201 })],
    "content/init/": [data(task)],
  });
  await publish(tiktok, job(fetch, change));
  const { json } = calls.find(({ path }) => path.endsWith("init/")) ?? {};
  const { title = "", description = "" } = json.post_info ?? {};
  if (json.media_type === "PHOTO") return { heading: title || null, text: description };
  return { heading: null, text: title };
}

testTexts(
  tiktok,
  [
    ["a video", { description: "More" }, { heading: null, text: "Look\nMore" }],
    ["a video without a title", { title: " ", description: "A" }, { heading: null, text: "A" }],
    ["a long title of a video", { title: LONG }, { heading: null, text: LONG }],
    ["a video for the inbox", { settings: DRAFT }, { heading: null, text: "" }],
    ["photos", { media, description: "More" }, { heading: "Look", text: "More" }],
    [
      "photos with blank texts",
      { media, title: " ", description: " " },
      { heading: null, text: "" },
    ],
    ["photos with a title that is cut", { media, title: LONG }, { heading: CUT, text: LONG }],
    [
      "photos with a title that is cut, and a description",
      { media, title: LONG, description: "More" },
      { heading: CUT, text: `${LONG}\nMore` },
    ],
    [
      "photos with a title that is cut, and a description that leaves no room for it",
      { media, title: LONG, description: "y".repeat(4_000) },
      { heading: CUT, text: "y".repeat(4_000) },
    ],
    [
      "photos with an endless title",
      { media, title: "z".repeat(5_000) },
      { heading: "z".repeat(90), text: "z".repeat(4_000) },
    ],
    ["photos for the inbox", { media, settings: DRAFT }, { heading: "Look", text: "" }],
  ],
  { toPost: post, send },
);
