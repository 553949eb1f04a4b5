import { threads } from "../../../src/platforms/threads/index.ts";
import { publish, testTexts } from "../sent-texts.ts";
import { image, job, type PostChange, post, scriptedFetch, status, video } from "./scripted.ts";

/** Serves every call: an id, and "ready". */
const answers = () => Array.from({ length: 12 }, () => status("FINISHED"));

async function send(change: PostChange) {
  const { fetch, calls } = scriptedFetch(...answers());
  await publish(threads, job(fetch, { post: change }));
  const forms = calls.map(({ form }) => form);
  const files = forms.filter(({ image_url, video_url }) => image_url ?? video_url);
  return {
    heading: null,
    text: forms.map(({ text = "" }) => text).join(""),
    altTexts: files.map(({ alt_text = "" }) => alt_text),
  };
}

const threads_alt_text = "A pier";

testTexts(
  threads,
  [
    ["a text", { description: "More" }, { heading: null, text: "A thought", altTexts: [] }],
    [
      "a description alone",
      { title: " ", description: "B" },
      { heading: null, text: "B", altTexts: [] },
    ],
    ["a photo", { media: [image()] }, { heading: null, text: "A thought", altTexts: [""] }],
    [
      "a carousel that is described",
      { media: [image(), video()], settings: { threads_alt_text } },
      { heading: null, text: "A thought", altTexts: [threads_alt_text, threads_alt_text] },
    ],
  ],
  { toPost: post, send },
);
