import { PLATFORMS, type Platform } from "../core/platforms.ts";
import { type Colour, createGradientPng } from "./png.ts";
import { createSampleVideo } from "./sample-video.ts";

/** One post of the demo: what it is called in the table, and the fields it is made of. */
export interface DemoPost {
  what: string;
  fields: Record<string, string>;
  photos?: Buffer<ArrayBuffer>[];
  video?: Buffer<ArrayBuffer>;
}

/** What tells one run's posts from another's, and where pins go. */
export interface DemoRun {
  /** Six hex digits. */
  id: string;
  boardId: string | null;
}

const ALT_TEXT = "A soft round sun in a diagonal gradient of two evening colours.";

const film = ({ id }: DemoRun): string => `Four seconds of film. #akimbo run ${id}`;
const sunset = ({ id }: DemoRun): string => `A sunset made of numbers. #akimbo run ${id}`;
const sunsets = ({ id }: DemoRun): string => `Three sunsets made of numbers. #akimbo run ${id}`;
const hello = ({ id }: DemoRun): string => `Hello! Demo run ${id}`;

const createPhotos = (run: DemoRun, count: number): Buffer<ArrayBuffer>[] =>
  Array.from({ length: count }, (_, index) => createPhoto(run, index));

/** LinkedIn takes no film under 75 KB. */
const FILM_BYTES = 80_000;

const boardOf = ({ boardId }: DemoRun) => ({ pinterest_board_id: boardId ?? "" });

const filmPost = (run: DemoRun, fields: Record<string, string>, what = "video"): DemoPost => ({
  what,
  fields,
  video: createSampleVideo(run.id, FILM_BYTES),
});

const POSTS_BY_PLATFORM: Record<Platform, (run: DemoRun) => DemoPost[]> = {
  tiktok: (run) => [filmPost(run, { title: film(run) })],
  instagram: (run) => [
    { what: "photo", fields: { title: sunset(run) }, photos: createPhotos(run, 1) },
    filmPost(run, { title: film(run) }, "reel"),
    { what: "carousel", fields: { title: sunsets(run) }, photos: createPhotos(run, 3) },
  ],
  facebook: (run) => [
    { what: "text", fields: { description: hello(run) } },
    { what: "photo", fields: { description: sunset(run) }, photos: createPhotos(run, 1) },
    filmPost(run, { description: film(run) }),
  ],
  youtube: (run) => [
    filmPost(run, { title: `Four seconds of film, run ${run.id}`, description: film(run) }),
  ],
  linkedin: (run) => [
    { what: "text", fields: { description: hello(run) } },
    { what: "photos", fields: { description: sunsets(run) }, photos: createPhotos(run, 3) },
    filmPost(run, { description: film(run) }),
  ],
  pinterest: (run) => [
    {
      what: "pin",
      fields: {
        title: "A sunset made of numbers",
        description: sunset(run),
        alt_text: ALT_TEXT,
        ...boardOf(run),
      },
      photos: createPhotos(run, 1),
    },
    filmPost(run, { title: "Four seconds of film", description: film(run), ...boardOf(run) }),
  ],
  bluesky: (run): DemoPost[] => [
    {
      what: "photo",
      fields: { description: sunset(run), bluesky_alt_text: ALT_TEXT },
      photos: createPhotos(run, 1),
    },
    { what: "text", fields: { description: hello(run) } },
    filmPost(run, { description: film(run) }),
  ],
  threads: (run) => [
    { what: "text", fields: { title: hello(run) } },
    { what: "carousel", fields: { title: sunsets(run) }, photos: createPhotos(run, 3) },
    filmPost(run, { title: film(run) }),
  ],
  x: (run) => [
    {
      what: "poll",
      fields: {
        title: `How often does a post go out? Run ${run.id}`,
        x_poll_options: "Once,Twice",
      },
    },
    { what: "photos", fields: { title: sunsets(run) }, photos: createPhotos(run, 3) },
    filmPost(run, { title: film(run) }),
  ],
};

const isKnown = (platform: string): platform is Platform =>
  (PLATFORMS as readonly string[]).includes(platform);

export const demoPostsFor = (platform: string, run: DemoRun): DemoPost[] =>
  isKnown(platform) ? POSTS_BY_PLATFORM[platform](run) : [];

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

/** The run picks the colours, so that every run's photos are other files. */
function createPhoto({ id }: DemoRun, index: number): Buffer<ArrayBuffer> {
  const seed = Number.parseInt(id, 16) + index;
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
  for (const photo of post.photos ?? []) {
    form.append("photo", new Blob([photo], { type: "image/png" }), "sunset.png");
  }
  if (post.video) form.set("video", new Blob([post.video], { type: "video/mp4" }), "film.mp4");
  return form;
}
