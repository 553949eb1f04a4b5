import { SANDBOX_SERVICE } from "./identity.ts";

/** Where a login starts when the account's own server is unknown. */
export const ENTRYWAY = "https://bsky.social";
export const PUBLIC_APPVIEW = "https://public.api.bsky.app";
export const DIRECTORY = "https://plc.directory";
export const VIDEO_SERVICE = "https://video.bsky.app";

/** Everything of Bluesky's that the simulator answers for. */
export const BLUESKY_ORIGINS = [
  SANDBOX_SERVICE,
  ENTRYWAY,
  PUBLIC_APPVIEW,
  DIRECTORY,
  VIDEO_SERVICE,
];
