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

/** The field that carries a post's text; the other one is a title or label, or goes with it. */
export const TEXT_FIELDS: Record<Platform, "title" | "description"> = {
  tiktok: "title",
  instagram: "title",
  facebook: "description",
  youtube: "description",
  linkedin: "description",
  pinterest: "description",
  bluesky: "description",
  threads: "title",
  x: "title",
};
