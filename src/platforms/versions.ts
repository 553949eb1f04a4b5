import type { Platform } from "../core/platforms.ts";

/** The version of a platform's API that its connector speaks. */
export interface ApiVersion {
  /** As it is written in paths or in the header. */
  version: string;
  /** The header that carries it; null where it stands in the path, or nowhere. */
  header: string | null;
  /** ISO date from which the platform no longer serves it; null where none is announced. */
  sunset: string | null;
  /** The page on which the platform announces its versions. */
  source: string;
}

const GRAPH_CHANGELOG = "https://developers.facebook.com/docs/graph-api/changelog/versions";

/** Every platform API version in one place, to be looked after before it ends. */
export const VERSIONS = {
  tiktok: {
    version: "v2",
    header: null,
    sunset: null,
    source: "https://developers.tiktok.com/doc/changelog",
  },
  instagram: { version: "v26.0", header: null, sunset: null, source: GRAPH_CHANGELOG },
  facebook: { version: "v26.0", header: null, sunset: null, source: GRAPH_CHANGELOG },
  youtube: {
    version: "v3",
    header: null,
    sunset: null,
    source: "https://developers.google.com/youtube/v3/revision_history",
  },
  // Each version lives at least twelve months.
  linkedin: {
    version: "202609",
    header: "LinkedIn-Version",
    sunset: "2027-09-15",
    source: "https://learn.microsoft.com/linkedin/marketing/versioning",
  },
  pinterest: {
    version: "v5",
    header: null,
    sunset: null,
    source: "https://developers.pinterest.com/docs/changelog/changelog/",
  },
  bluesky: { version: "xrpc", header: null, sunset: null, source: "https://docs.bsky.app" },
  threads: {
    version: "v1.0",
    header: null,
    sunset: null,
    source: "https://developers.facebook.com/docs/threads/changelog",
  },
  x: { version: "2", header: null, sunset: null, source: "https://docs.x.com/changelog" },
} as const satisfies Record<Platform, ApiVersion>;
