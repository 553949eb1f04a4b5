/** The nine networks, in the spec's order. Source: spec, "What the service does". */
export const PLATFORMS = [
  "tiktok",
  "instagram",
  "facebook",
  "youtube",
  "linkedin",
  "pinterest",
  "bluesky",
  "threads",
  "x",
] as const;

export type Platform = (typeof PLATFORMS)[number];
