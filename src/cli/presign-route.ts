import { ROUTE_NAMES, ROUTES, type RouteName } from "../features/presign/rules.ts";
import type { LocalFile } from "./local-file.ts";
import { Problem } from "./program.ts";

type Kind = LocalFile["kind"];

const KINDS: Record<Kind, string> = { video: "videos", image: "photos", document: "documents" };

/** The platform's own route, such as `tiktok_videos`, checks the platform's limits. */
const ownRoute = (platform: string | null, kind: Kind): RouteName[] =>
  ROUTE_NAMES.filter((name) => name === `${platform}_${KINDS[kind]}`);

/** The route `video` is absent, because its uploads restart after an interruption. */
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
 * A file that is too large for all routes gets the first one, whose refusal names the limit.
 *
 * @param platform null for a file without a post
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
