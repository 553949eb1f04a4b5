import { linkedin } from "../../../src/platforms/linkedin/index.ts";
import { readLittleText } from "../../../src/platforms/linkedin/little-text.ts";
import { testTexts } from "../sent-texts.ts";
import {
  type JobChange,
  job,
  NOW,
  POST,
  pdf,
  photo,
  post,
  scriptedFetch,
  video,
} from "./scripted.ts";

async function send(change: JobChange) {
  const assets = (change.media ?? []).map(({ kind }, index) => `urn:li:${kind}:D4E${index}`);
  const made = new Response(null, { status: 201, headers: { "x-restli-id": POST } });
  const { fetch, calls } = scriptedFetch([["POST posts", made]]);
  const bookmark = { stage: "ready", assets, readyAt: NOW.getTime() };
  await linkedin.submit(job(fetch, change), bookmark);
  const { commentary, content } = calls[0]?.json ?? {};
  return { heading: content?.media?.title ?? null, text: readLittleText(commentary) };
}

testTexts(
  linkedin,
  [
    ["a text", { title: "T" }, { heading: null, text: "Hello" }],
    [
      "a text with styles and signs that LinkedIn wants escaped",
      { description: "*i* **b** (a_b) #tag" },
      { heading: null, text: "𝘪 𝗯 (a_b) #tag" },
    ],
    ["a photo", { title: "T", media: [photo()] }, { heading: null, text: "Hello" }],
    ["photos", { title: "T", media: [photo(), photo()] }, { heading: null, text: "Hello" }],
    [
      "a video without words",
      { title: "T", description: " ", media: [video()] },
      { heading: null, text: "" },
    ],
    ["a document", { title: " T ", media: [pdf()] }, { heading: "T", text: "Hello" }],
    [
      "a document without a title",
      { description: "**One**\nTwo", media: [pdf()] },
      { heading: "One", text: "𝗢𝗻𝗲\nTwo" },
    ],
  ],
  { toPost: post, send },
);
