import { type DemoPosts, film, sunset, sunsets, videoPost } from "../kit/demo.ts";

export const demoPosts: DemoPosts = (run) => [
  { what: "photo", fields: { title: sunset(run) }, photos: 1 },
  videoPost({ title: film(run) }, "reel"),
  { what: "carousel", fields: { title: sunsets(run) }, photos: 3 },
];
