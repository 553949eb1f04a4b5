/** Names in rows and in the API, in the spec's order. Source: spec, "What the service does". */
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

const NAMES: ReadonlySet<string> = new Set(PLATFORMS);

export const isPlatform = (name: string): name is Platform => NAMES.has(name);
