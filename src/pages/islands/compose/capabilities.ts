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

let loaded: Promise<ReadonlyMap<string, Capabilities>> | null = null;

export function capabilities(): Promise<ReadonlyMap<string, Capabilities>> {
  loaded ??= call<{ data: Capabilities[] }>("GET", "/platforms/capabilities").then(
    ({ data }) => new Map(data.map((one) => [one.platform, one])),
  );
  loaded.catch(() => {
    loaded = null;
  });
  return loaded;
}
