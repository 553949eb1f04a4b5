import { type DemoPosts, film, videoPost } from "../kit/demo.ts";

export const demoPosts: DemoPosts = (run) => [
  videoPost({ title: `Four seconds of film, run ${run.id}`, description: film(run) }),
];
