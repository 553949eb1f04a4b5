import { instagram } from "../../../src/platforms/instagram/index.ts";
import { publish, testTexts } from "../sent-texts.ts";
import {
  image,
  job,
  json,
  type PostChange,
  post,
  scriptedFetch,
  status,
  video,
} from "./scripted.ts";

/** Serves every call: an id, and "ready". */
const answers = () => Array.from({ length: 12 }, () => status("FINISHED"));

async function send(change: PostChange) {
  const { fetch, calls } = scriptedFetch(...answers(), json({ id: "1" }));
  await publish(instagram, job(fetch, { post: change }));
  const text = calls.map(({ form }) => form.caption ?? "").join("");
  return { heading: null, text };
}

testTexts(
  instagram,
  [
    ["a photo", { description: "More" }, { heading: null, text: "A caption" }],
    ["a blank title", { title: " ", description: "B" }, { heading: null, text: "B" }],
    ["no words", { title: null }, { heading: null, text: "" }],
    ["a reel", { media: [video()] }, { heading: null, text: "A caption" }],
    ["a carousel", { media: [image(), video()] }, { heading: null, text: "A caption" }],
    ["a story", { settings: { media_type: "STORIES" } }, { heading: null, text: "" }],
  ],
  { toPost: post, send },
);
