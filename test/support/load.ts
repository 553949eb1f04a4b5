import { env } from "cloudflare:workers";

/** `npm run prove -- --full` runs every file that imports this module with full loads. */
export const isFull = env.TEST_LOADS === "full";

/** How often a test does the same thing: `usual` covers each kind of case, `full` is the load that is promised. */
export const loadOf = (usual: number, full: number): number => (isFull ? full : usual);
