import { type Colour, createGradientPng } from "./png.ts";
import { createSampleVideo } from "./sample-video.ts";

/** One post of the demo: what it is called in the table, and the fields it is made of. */
export interface DemoPost {
  what: string;
  fields: Record<string, string>;
  photo?: Buffer<ArrayBuffer>;
  video?: Buffer<ArrayBuffer>;
}

/** Makes the posts of one platform; `run` tells one run's texts from another's. */
type DemoPosts = (run: string) => DemoPost[];

const POSTS_BY_PLATFORM: Record<string, DemoPosts> = {
  tiktok: (run): DemoPost[] => [
    {
      what: "video",
      fields: { title: `Four seconds of film. #akimbo run ${run}` },
      video: createSampleVideo(),
    },
  ],
  instagram: (run): DemoPost[] => [
    {
      what: "photo",
      fields: { title: `A sunset made of numbers. #akimbo run ${run}` },
      photo: createPhoto(run),
    },
    {
      what: "reel",
      fields: { title: `Four seconds of film. #akimbo run ${run}` },
      video: createSampleVideo(),
    },
  ],
  bluesky: (run): DemoPost[] => [
    {
      what: "photo",
      fields: {
        description: `A sunset made of numbers. #akimbo run ${run}`,
        bluesky_alt_text: "A soft round sun in a diagonal gradient of two evening colours.",
      },
      photo: createPhoto(run),
    },
    { what: "text", fields: { description: `Hello! Demo run ${run}` } },
  ],
};

/** The platforms that the demo posts to. */
export const DEMO_PLATFORMS = Object.keys(POSTS_BY_PLATFORM);

export const demoPostsFor = (platform: string, run: string): DemoPost[] =>
  POSTS_BY_PLATFORM[platform]?.(run) ?? [];

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

/** `run` (hex) picks the colours, so that every run's photo is another file. */
function createPhoto(run: string): Buffer<ArrayBuffer> {
  const seed = Number.parseInt(run, 16);
  const [from, to] = PALETTE[seed % PALETTE.length] ?? [
    [0, 0, 0] as const,
    [255, 255, 255] as const,
  ];
  const shade = (value: number, shift: number) => Math.min(255, value + ((seed >> shift) & 31));
  return createGradientPng({
    width: 1200,
    height: 900,
    from,
    to: [shade(to[0], 0), shade(to[1], 5), shade(to[2], 10)],
  });
}

export function toForm(accountId: string, post: DemoPost): FormData {
  const form = new FormData();
  form.set("accountId", accountId);
  for (const [name, value] of Object.entries(post.fields)) form.set(name, value);
  if (post.photo) form.set("photo", new Blob([post.photo], { type: "image/png" }), "sunset.png");
  if (post.video) form.set("video", new Blob([post.video], { type: "video/mp4" }), "film.mp4");
  return form;
}
