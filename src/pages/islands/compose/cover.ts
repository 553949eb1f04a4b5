import { CallRefused } from "../call.ts";
import { keepBlob } from "../upload/storage.ts";
import { openDialog } from "./dialog.ts";
import { all, make, makeButton, setCover } from "./page.ts";

const STEP_SECONDS = 0.1;
const QUALITY = 0.9;

/** Fields of platforms that name the moment of the cover, in ms. */
const MOMENTS = ["thumb_offset", "video_cover_timestamp_ms", "pinterest_cover_time_ms"];

function setMoment(ms: number): void {
  for (const name of MOMENTS) {
    for (const control of all<HTMLInputElement>(`[data-field=${name}]`)) control.value = String(ms);
  }
}

async function frameOf(video: HTMLVideoElement): Promise<Blob> {
  const canvas = make("canvas", { width: video.videoWidth, height: video.videoHeight });
  canvas.getContext("2d")?.drawImage(video, 0, 0);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
  if (!blob)
    throw new CallRefused(0, {
      error: "The browser could not read this frame. Choose another one.",
    });
  return blob;
}

export function chooseCover(source: string): Promise<boolean> {
  const video = make("video", {
    src: source,
    muted: true,
    playsInline: true,
    preload: "auto",
    className: "cover",
  });
  const slider = make("input", {
    type: "range",
    id: "cover-moment",
    min: "0",
    step: String(STEP_SECONDS),
    value: "0",
  });
  const label = make("label", { htmlFor: slider.id, textContent: "Moment" });
  const status = make("p", { className: "muted", role: "status" });
  video.addEventListener("loadedmetadata", () => {
    slider.max = String(Math.max(video.duration - STEP_SECONDS, 0));
    video.currentTime = 0;
  });
  video.addEventListener("loadeddata", () => {
    use.disabled = false;
  });
  video.addEventListener("error", () => {
    status.textContent =
      "This browser cannot show the video. Choose a picture as its thumbnail instead.";
  });
  slider.addEventListener("input", () => {
    video.currentTime = Number(slider.value);
    slider.ariaValueText = `${Number(slider.value).toFixed(1)} seconds`;
  });
  let isChosen = false;
  const use = makeButton("Use this frame", async () => {
    use.disabled = true;
    status.textContent = "Storing the frame …";
    try {
      const { mediaId } = await keepBlob(await frameOf(video), "cover.jpg");
      setMoment(Math.round(video.currentTime * 1_000));
      isChosen = true;
      dialog.close();
      setCover(mediaId);
    } catch (error) {
      status.textContent = (error as Error).message;
      use.disabled = false;
    }
  });
  use.disabled = true;
  use.classList.remove("quiet");
  const dialog = openDialog("Cover of the video", video, label, slider, status, use);
  return new Promise((done) => {
    dialog.addEventListener("close", () => done(isChosen));
  });
}
