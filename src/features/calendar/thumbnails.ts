import { notFound } from "../../core/errors.ts";
import { HOUR } from "../../core/time.ts";
import type { Ctx, Deps } from "../../deps.ts";
import { mediaPath } from "../media/files.ts";
import { type CalendarPost, pictureOfPost } from "./repo/posts.ts";

export { pictureOfPost };

type Pictured = Pick<CalendarPost, "teamId" | "picture">;

interface Signed {
  hour: number;
  /** By the file's hash. */
  addresses: Map<string, string>;
}

/** Addresses of files change hourly, and signing them is what a calendar costs most. */
const signedBy = new WeakMap<Deps["config"], Map<string, Signed>>();

/** About a megabyte. */
const MAX_SIGNED = 5_000;
const MAX_TEAMS = 10;

function signedOf(
  { config, now }: Pick<Deps, "config" | "now">,
  origin: string,
  teamId: number,
): Signed["addresses"] {
  const hour = Math.ceil(now().getTime() / HOUR);
  const teams = signedBy.get(config) ?? new Map<string, Signed>();
  signedBy.set(config, teams);
  const name = `${teamId} ${origin}`;
  const kept = teams.get(name);
  if (kept && kept.hour === hour && kept.addresses.size < MAX_SIGNED) return kept.addresses;
  if (teams.size >= MAX_TEAMS) teams.clear();
  const addresses = new Map<string, string>();
  teams.set(name, { hour, addresses });
  return addresses;
}

/**
 * Signs what is missing at once. The answer returns null for a post without a picture.
 *
 * @param posts Of one team
 */
export async function thumbnailsOf(
  deps: Pick<Deps, "config" | "now">,
  origin: string,
  posts: readonly Pictured[],
): Promise<(post: Pictured) => string | null> {
  const { teamId = 0 } = posts[0] ?? {};
  const addresses = signedOf(deps, origin, teamId);
  const sign = async (picture: string) =>
    addresses.set(picture, origin + (await mediaPath(deps, teamId, picture, "thumbnail")));
  const missing = posts.flatMap(({ picture }) =>
    picture === null || addresses.has(picture) ? [] : [sign(picture)],
  );
  await Promise.all(missing);
  return ({ picture }) => (picture === null ? null : (addresses.get(picture) ?? null));
}

/**
 * Null for a post without a picture.
 *
 * @throws AppError NOT_FOUND
 */
export async function thumbnailOf(ctx: Ctx, id: number): Promise<string | null> {
  const [[post]] = await ctx.read("posts:read", [pictureOfPost({ team: ctx.team, id })]);
  if (!post) throw notFound("Upload");
  return (await thumbnailsOf(ctx, "", [post]))(post);
}
