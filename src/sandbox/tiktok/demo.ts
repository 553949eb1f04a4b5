import { type DemoPosts, film, videoPost } from "../kit/demo.ts";

export const demoPosts: DemoPosts = (run) => [videoPost({ title: film(run) })];
