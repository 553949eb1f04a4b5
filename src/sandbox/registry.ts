import { blueskySimulator } from "./bluesky/index.ts";
import type { Simulator } from "./simulator.ts";

/** The platforms that the sandbox simulates. */
export const SIMULATORS: readonly Simulator[] = [blueskySimulator];

export const findSimulator = (url: URL): Simulator | null =>
  SIMULATORS.find((simulator) => simulator.origins.includes(url.origin)) ?? null;
