import type { Ctx } from "../../deps.ts";
import type { StoredFile } from "../media/store.ts";
import { type Resolved, resolvePresigned } from "../presign/resolve.ts";
import type { NewPost } from "./new-post.ts";

/** Files at addresses of ours that a post names, by address. */
export type PresignedFiles = ReadonlyMap<string, Resolved>;

export const NO_PRESIGNED: PresignedFiles = new Map();

/** Source: Workers, "Limits": simultaneous open connections. */
const AT_ONCE = 6;

/**
 * Reads the presigned files that a post names, wherever it may name a file by address. Each is read once, and
 * stays pinned to what it was then.
 */
export async function readPresigned(
  ctx: Pick<Ctx, "media" | "actor">,
  { media, overrides, origin }: Pick<NewPost, "media" | "overrides" | "origin">,
): Promise<PresignedFiles> {
  const named = [
    ...media.flatMap((item) => ("url" in item ? [item.url] : [])),
    ...Object.values(overrides).flatMap(({ thumbnailUrl }) => thumbnailUrl ?? []),
  ];
  const { teamId } = ctx.actor;
  const urls = [...new Set(named)];
  const found = new Map<string, Resolved>();
  for (let i = 0; i < urls.length; i += AT_ONCE) {
    await Promise.all(
      urls.slice(i, i + AT_ONCE).map(async (url) => {
        const file = await resolvePresigned(ctx, { origin, url, teamId });
        if (file) found.set(url, file);
      }),
    );
  }
  return found;
}

/** Returns the files among them, without those that are none. */
export const filesAmong = (presigned: PresignedFiles): StoredFile[] =>
  [...presigned.values()].flatMap((file) => ("refusal" in file ? [] : [file]));
