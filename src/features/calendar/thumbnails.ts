import type { Deps } from "../../deps.ts";
import { mediaPath } from "../media/files.ts";
import type { CalendarPost } from "./repo/posts.ts";

/** Many posts share a picture, and signing is what an answer costs most. */
export function thumbnailsOf(deps: Pick<Deps, "config" | "now">, origin: string) {
  const signed = new Map<string, Promise<string>>();
  return ({ teamId, picture }: Pick<CalendarPost, "teamId" | "picture">) => {
    if (picture === null) return null;
    const known = signed.get(picture);
    if (known) return known;
    const path = mediaPath(deps, teamId, picture, "thumbnail").then((text) => origin + text);
    signed.set(picture, path);
    return path;
  };
}
