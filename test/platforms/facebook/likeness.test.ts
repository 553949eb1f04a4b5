import { facebook } from "../../../src/platforms/facebook/index.ts";
import { publish, testTexts } from "../sent-texts.ts";
import {
  image,
  job,
  json,
  type PostChange,
  post,
  scriptedFetch,
  status,
  VIDEO,
  video,
} from "./scripted.ts";

const POSTED = () => json({ id: "7", post_id: "7_8" });
const OK = () => json({ success: true });
const link = "https://a.example/b";
const media_type = "REELS";

function answersTo({ media, settings }: PostChange): Response[] {
  if (media?.[0]?.kind !== "video") return [...(media ?? []).map(POSTED), POSTED()];
  if (settings?.media_type === media_type) {
    const upload_url = `https://rupload.facebook.com/video-upload/v26.0/${VIDEO}`;
    const complete = {
      uploading: "complete",
      processing: "not_started",
      publishing: "not_started",
    };
    return [json({ video_id: VIDEO, upload_url }), status("upload_complete", complete), OK()];
  }
  const part = { start_offset: "0", end_offset: "10" };
  const opened = json({ upload_session_id: "44", video_id: VIDEO, ...part });
  return [opened, json({ start_offset: "10", end_offset: "10" }), OK()];
}

async function send(change: PostChange) {
  const { fetch, calls } = scriptedFetch(...answersTo(change));
  await publish(facebook, job(fetch, { post: change }));
  const { title = "", description = "", message = "", link = null } = calls.at(-1)?.form ?? {};
  return { heading: title.trim() ? title : null, text: message || description, preview: link };
}

testTexts(
  facebook,
  [
    ["a text", { title: "T" }, { heading: null, text: "Some words", preview: null }],
    [
      "a text with a link",
      { settings: { link } },
      { heading: null, text: "Some words", preview: link },
    ],
    [
      "a photo, its link left out",
      { media: [image()], title: "T", settings: { link } },
      { heading: null, text: "Some words", preview: null },
    ],
    [
      "a photo with a title alone",
      { media: [image()], title: "T", description: " " },
      { heading: null, text: "T", preview: null },
    ],
    [
      "an album",
      { media: [image(), image()], title: "T" },
      { heading: null, text: "Some words", preview: null },
    ],
    [
      "a video",
      { media: [video()], title: "T" },
      { heading: "T", text: "Some words", preview: null },
    ],
    [
      "a video with a title alone",
      { media: [video()], title: "T", description: null },
      { heading: "T", text: "", preview: null },
    ],
    [
      "a reel",
      { media: [video()], title: "T", settings: { media_type, link } },
      { heading: "T", text: "Some words", preview: null },
    ],
    [
      "a reel with a blank title",
      { media: [video()], title: " ", settings: { media_type } },
      { heading: null, text: "Some words", preview: null },
    ],
  ],
  { toPost: post, send },
);
