import { x } from "../../../src/platforms/x/index.ts";
import { publish, testTexts } from "../sent-texts.ts";
import { data, image, type JobChange, job, post, scriptedFetch } from "./scripted.ts";

async function send(change: JobChange) {
  const { media = [] } = change;
  const { fetch, calls } = scriptedFetch({
    "POST /2/media/metadata": media.map(() => data({})),
    "POST /2/tweets": [data({ id: "1995400000000000001", text: "" }, 201)],
  });
  const preparing = {
    stage: "preparing",
    taggedIds: [],
    subtitles: { state: "done" },
    upload: null,
    mediaIds: media.map((_, index) => String(index + 1)),
    videoCategory: "tweet_video",
    described: 0,
    warnings: [],
  };
  await publish(x, job(fetch, change), preparing);
  const { text = "", poll } = calls.at(-1)?.json ?? {};
  const altTexts = media.map((_, at) => calls.slice(0, -1)[at]?.json.metadata.alt_text.text ?? "");
  return { heading: null, text, poll: poll?.options ?? [], altTexts };
}

const media = [image(), image()];
const x_poll_options = "Yes,No";

testTexts(
  x,
  [
    ["a text", { description: "More" }, { heading: null, text: "Hello", poll: [], altTexts: [] }],
    [
      "a description alone",
      { title: " ", description: "B" },
      { heading: null, text: "B", poll: [], altTexts: [] },
    ],
    [
      "a poll",
      { settings: { x_poll_options } },
      { heading: null, text: "Hello", poll: ["Yes", "No"], altTexts: [] },
    ],
    [
      "photos without words",
      { title: null, media },
      { heading: null, text: "", poll: [], altTexts: ["", ""] },
    ],
    [
      "photos that are described",
      { media, settings: { x_alt_text: "A pier" } },
      { heading: null, text: "Hello", poll: [], altTexts: ["A pier", "A pier"] },
    ],
  ],
  { toPost: post, send },
);
