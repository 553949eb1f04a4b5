/** `post` continues a thread. `comment` is the first comment under a post. */
export const PART_KINDS = ["post", "comment"] as const;
export type PartKind = (typeof PART_KINDS)[number];
