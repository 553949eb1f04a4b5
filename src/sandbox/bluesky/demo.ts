import { ALT_TEXT, type DemoPosts, film, hello, sunset, videoPost } from "../kit/demo.ts";

export const demoPosts: DemoPosts = (run) => [
  {
    what: "photo",
    fields: { description: sunset(run), bluesky_alt_text: ALT_TEXT },
    photos: 1,
  },
  { what: "text", fields: { description: hello(run) } },
  videoPost({ description: film(run) }),
];
