import type { Platform } from "../../core/platforms.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { hasOwnTitle, takes } from "./content.ts";

/** What a script counts and hints by. */
export const platformFacts = (platforms: readonly Platform[]) =>
  Object.fromEntries(
    platforms.map((platform) => {
      const connector = connectorOf(platform);
      const { limits, countedBy, hasCaptions, textBytes, longText, frames } =
        connector.capabilities;
      const { postCharacters, photoPostCharacters, titleCharacters } = limits;
      return [
        platform,
        {
          name: connector.name,
          characters: postCharacters,
          photoCharacters: photoPostCharacters,
          titleCharacters: hasOwnTitle(connector) ? titleCharacters : null,
          hasThreads: takes(connector, "post"),
          countedBy,
          hasCaptions,
          textBytes,
          longText,
          frames,
        },
      ];
    }),
  );
