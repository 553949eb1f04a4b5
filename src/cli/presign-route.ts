import { ROUTE_NAMES, ROUTES, type RouteName } from "../features/presign/rules.ts";
import type { LocalFile } from "./local-file.ts";
import { Problem } from "./program.ts";

type Kind = LocalFile["kind"];

/** Names of kinds in those of routes. */
const KINDS: Record<Kind, string> = { video: "videos", image: "photos", document: "documents" };

/** The route of a platform's own limits, which refuses a file before it is sent: `tiktok_videos`. */
const ownRoute = (platform: string | null, kind: Kind): RouteName[] =>
  ROUTE_NAMES.filter((name) => name === `${platform}_${KINDS[kind]}`);

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
  const routes = [...ownRoute(platform, kind), ...GENERAL_ROUTES[kind]].filter((route) =>
    takesType(route, mime),
  );
  const chosen = routes.find((route) => sizeBytes <= ROUTES[route].maxBytes) ?? routes[0];
  if (!chosen) throw new Problem(`Storage takes no files of the type ${mime}.`);
  return chosen;
}
