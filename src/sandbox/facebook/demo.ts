import { type DemoPosts, film, hello, sunset, videoPost } from "../kit/demo.ts";

export const demoPosts: DemoPosts = (run) => [
  { what: "text", fields: { description: hello(run) } },
  { what: "photo", fields: { description: sunset(run) }, photos: 1 },
  videoPost({ description: film(run) }),
];
