import { type DemoPosts, hello } from "../kit/demo.ts";

export const demoPosts: DemoPosts = (run) => [
  { what: "text", fields: { description: hello(run) } },
];
