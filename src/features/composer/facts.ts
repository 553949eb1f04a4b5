import type { Platform } from "../../core/platforms.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { ROUTES, type RouteName } from "../presign/rules.ts";
import { hasOwnTitle, takes } from "./content.ts";

/** What a script counts and hints by. */
export const platformFacts = (platforms: readonly Platform[]) =>
  Object.fromEntries(
    platforms.map((platform) => {
      const connector = connectorOf(platform);
      const { limits, textBytes, longText, frames } = connector.capabilities;
      const { postCharacters, photoPostCharacters, titleCharacters } = limits;
      return [
        platform,
        {
          name: connector.name,
          characters: postCharacters,
          photoCharacters: photoPostCharacters,
          titleCharacters: hasOwnTitle(connector) ? titleCharacters : null,
          hasThreads: takes(connector, "post"),
          textBytes,
          longText,
          frames,
        },
      ];
    }),
  );

const KINDS: readonly RouteName[] = ["photos", "thumbnails", "youtube_videos", "documents"];

/** Says nothing of a file. */
const UNTOLD = "application/octet-stream";

/** The ways of a file to the storage; the first that takes its type is its way. */
export const fileRoutes = () =>
  KINDS.map((name) => {
    const { maxBytes, types } = ROUTES[name];
    return { name, maxBytes, types: types.filter((type) => type !== UNTOLD) };
  });
