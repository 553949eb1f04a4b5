import { env } from "cloudflare:workers";

/**
 * Number of times that a test does the same thing: `usual` covers each kind of case, `full` is the load that is
 * promised. `npm run prove -- --full` runs every file that imports this with full loads.
 */
export const loadOf = (usual: number, full: number): number =>
  env.TEST_LOADS === "full" ? full : usual;
