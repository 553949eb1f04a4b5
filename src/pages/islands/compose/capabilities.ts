import { call } from "../call.ts";

/** What GET /platforms/capabilities says of a platform. */
export interface Capabilities {
  platform: string;
  limits: {
    postCharacters: number | null;
    photoPostCharacters: number | null;
    titleCharacters: number | null;
    altTextCharacters: number | null;
  };
  mediaSupport: { kinds: string[]; maxCount: number };
  followUps: string[];
}

export type KnownPlatforms = ReadonlyMap<string, Capabilities>;

/** The platform publishes a title besides its text. */
export const hasOwnTitle = (one: Capabilities | undefined): boolean =>
  one !== undefined &&
  one.limits.titleCharacters !== null &&
  one.limits.titleCharacters !== one.limits.postCharacters;

let loaded: Promise<KnownPlatforms> | null = null;

export function capabilities(): Promise<KnownPlatforms> {
  loaded ??= call<{ data: Capabilities[] }>("GET", "/platforms/capabilities").then(
    ({ data }) => new Map(data.map((one) => [one.platform, one])),
  );
  loaded.catch(() => {
    loaded = null;
  });
  return loaded;
}
