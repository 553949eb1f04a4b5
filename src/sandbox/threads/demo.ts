import { type DemoPosts, film, hello, sunsets, videoPost } from "../kit/demo.ts";

export const demoPosts: DemoPosts = (run) => [
  { what: "text", fields: { title: hello(run) } },
  { what: "carousel", fields: { title: sunsets(run) }, photos: 3 },
  videoPost({ title: film(run) }),
];
