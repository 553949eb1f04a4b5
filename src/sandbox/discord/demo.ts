import { type DemoPosts, film, hello, sunset, sunsets, videoPost } from "../kit/demo.ts";

export const demoPosts: DemoPosts = (run) => [
  { what: "photo", fields: { description: sunset(run), discord_silent: "true" }, photos: 1 },
  { what: "photos", fields: { description: sunsets(run) }, photos: 3 },
  { what: "text", fields: { description: hello(run) } },
  videoPost({ description: film(run) }),
];
