import { ALT_TEXT, type DemoPosts, film, hello, sunset, videoPost } from "../kit/demo.ts";

export const demoPosts: DemoPosts = (run) => [
  { what: "text", fields: { description: hello(run), mastodon_visibility: "public" } },
  { what: "photo", fields: { description: sunset(run), alt_text: ALT_TEXT }, photos: 1 },
  videoPost({ description: film(run) }),
];
