import { ROUTES, type RouteName } from "../features/presign/rules.ts";
import type { LocalFile } from "./local-file.ts";
import { Problem } from "./program.ts";

type Kind = LocalFile["kind"];

/** Routes of a platform's own limits, which refuse a file before it is sent. */
const OWN_ROUTES: Partial<Record<string, Partial<Record<Kind, RouteName>>>> = {
  tiktok: { video: "tiktok_videos" },
  pinterest: { video: "pinterest_videos" },
  threads: { video: "threads_videos", image: "threads_photos" },
  linkedin: { video: "linkedin_videos" },
  instagram: { image: "instagram_photos" },
  bluesky: { image: "bluesky_photos" },
};

/** Routes that take files for any platform: `video` has no parts, so a break would begin it anew. */
const GENERAL_ROUTES: Record<Kind, readonly RouteName[]> = {
  video: ["youtube_videos"],
  image: ["photos", "thumbnails"],
  document: ["documents"],
};

const takesType = (route: RouteName, mime: string): boolean =>
  ROUTES[route].types.some((type) =>
    type.endsWith("/*") ? mime.startsWith(type.slice(0, -1)) : type === mime,
  );

/**
 * Chooses the presign route of a file: that of the platform where it takes the file, else a general one. A file
 * that is too large for all of them has the first, whose refusal names the limit.
 *
 * @param platform null for a file that is only stored
 * @throws Problem when no route takes the type
 */
export function choosePresignRoute(
  platform: string | null,
  { kind, mime, sizeBytes }: Pick<LocalFile, "kind" | "mime" | "sizeBytes">,
): RouteName {
  const own = OWN_ROUTES[platform ?? ""]?.[kind];
  const routes = [...(own ? [own] : []), ...GENERAL_ROUTES[kind]].filter((route) =>
    takesType(route, mime),
  );
  const chosen = routes.find((route) => sizeBytes <= ROUTES[route].maxBytes) ?? routes[0];
  if (!chosen) throw new Problem(`Storage takes no files of the type ${mime}.`);
  return chosen;
}
