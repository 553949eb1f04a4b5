import { type DemoPosts, film, sunsets, videoPost } from "../kit/demo.ts";

export const demoPosts: DemoPosts = (run) => [
  {
    what: "poll",
    fields: {
      title: `How often does a post go out? Run ${run.id}`,
      x_poll_options: "Once,Twice",
    },
  },
  { what: "photos", fields: { title: sunsets(run) }, photos: 3 },
  videoPost({ title: film(run) }),
];
