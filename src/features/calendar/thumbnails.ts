import { HOUR } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { mediaPath } from "../media/files.ts";
import type { CalendarPost } from "./repo/posts.ts";

interface Signed {
  hour: number;
  paths: Map<string, Promise<string>>;
}

/** Addresses of files change hourly, and signing them is what a calendar costs most. */
const signedBy = new WeakMap<Deps["config"], Signed>();

/** About a megabyte. */
const MAX_SIGNED = 5_000;

function signedOf({ config, now }: Pick<Deps, "config" | "now">): Signed["paths"] {
  const hour = Math.ceil(now().getTime() / HOUR);
  const kept = signedBy.get(config);
  if (kept && kept.hour === hour && kept.paths.size < MAX_SIGNED) return kept.paths;
  const paths = new Map<string, Promise<string>>();
  signedBy.set(config, { hour, paths });
  return paths;
}

/** Returns null for a post without a picture. */
export function thumbnailsOf(deps: Pick<Deps, "config" | "now">, origin: string) {
  const paths = signedOf(deps);
  return async ({
    teamId,
    picture,
  }: Pick<CalendarPost, "teamId" | "picture">): Promise<string | null> => {
    if (picture === null) return null;
    const name = `${teamId} ${picture}`;
    const path = paths.get(name) ?? mediaPath(deps, teamId, picture, "thumbnail");
    paths.set(name, path);
    return origin + (await path);
  };
}
