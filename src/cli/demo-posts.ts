import type { Platform } from "../core/platforms.ts";
import type { DemoRun, DemoPost as PostPlan } from "../sandbox/kit/demo.ts";
import { simulatedOf } from "../sandbox/registry.ts";
import type { Form } from "./api.ts";
import { type Colour, createGradientPng } from "./png.ts";
import { createSampleVideo } from "./sample-video.ts";

export interface DemoPost extends Pick<PostPlan, "what" | "fields"> {
  photos: Buffer<ArrayBuffer>[];
  video: Buffer<ArrayBuffer> | null;
}

/** LinkedIn refuses videos under 75 KB. */
const FILM_BYTES = 80_000;

export async function demoPostsFor(platform: Platform, run: DemoRun): Promise<DemoPost[]> {
  const simulated = simulatedOf(platform);
  const posts = simulated ? (await simulated.loadDemo())(run) : [];
  return posts.map(({ what, fields, photos = 0, hasVideo }) => ({
    what,
    fields,
    photos: Array.from({ length: photos }, (_, index) => createPhoto(run, index)),
    video: hasVideo ? createSampleVideo(run.id, FILM_BYTES) : null,
  }));
}

const PALETTE: readonly (readonly [from: Colour, to: Colour])[] = [
  [
    [36, 24, 92],
    [255, 126, 70],
  ],
  [
    [12, 52, 104],
    [250, 190, 96],
  ],
  [
    [64, 16, 80],
    [246, 92, 120],
  ],
];

export function createPhoto(
  { id }: Pick<DemoRun, "id">,
  index: number,
  size = { width: 1200, height: 900 },
): Buffer<ArrayBuffer> {
  const seed = Number.parseInt(id, 16) + index;
  const [from, to] = PALETTE[seed % PALETTE.length] ?? [
    [0, 0, 0] as const,
    [255, 255, 255] as const,
  ];
  const shade = (value: number, shift: number) => Math.min(255, value + ((seed >> shift) & 31));
  return createGradientPng({
    ...size,
    from,
    to: [shade(to[0], 0), shade(to[1], 5), shade(to[2], 10)],
  });
}

const toVideoFile = (video: Buffer<ArrayBuffer>): File =>
  new File([video], "film.mp4", { type: "video/mp4" });

/** Platforms refuse repeated videos, so every run gets its own. */
export const createFilm = ({ id }: Pick<DemoRun, "id">): File =>
  toVideoFile(createSampleVideo(id, FILM_BYTES));

export const toForm = (accountId: string, { fields, photos, video }: DemoPost): Form => ({
  accountId,
  ...fields,
  photo: photos.map((photo) => new File([photo], "sunset.png", { type: "image/png" })),
  ...(video ? { video: toVideoFile(video) } : {}),
});
