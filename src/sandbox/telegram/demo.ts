import { type DemoPosts, film, hello, sunsets, videoPost } from "../kit/demo.ts";

export const demoPosts: DemoPosts = (run) => [
  { what: "text", fields: { description: hello(run) } },
  { what: "album", fields: { description: sunsets(run) }, photos: 3 },
  videoPost({ description: film(run) }),
];
