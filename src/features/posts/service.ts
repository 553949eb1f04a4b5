import { notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { fillPage } from "./page-size.ts";
import { mayApprove } from "./permissions.ts";
import { uploadById, uploadCount, uploadPage, uploadsByIds } from "./repo/read.ts";
import type { UploadFilter } from "./schema.ts";
import type { UploadRecord, UploadWithAccount } from "./table.ts";

export { failWaiting } from "./repo/failed.ts";

/**
 * Leaves out the review link where the caller may not approve posts: whoever opens it can.
 */
const forCaller = ({ actor, now }: Ctx, one: UploadWithAccount): UploadWithAccount => {
  const { reviewLink } = one;
  const isShown = reviewLink !== null && reviewLink.expiresAt > now() && mayApprove(actor);
  return isShown ? one : { ...one, reviewLink: null };
};

/**
 * One page, most recent first, and how many there are in all.
 *
 * @throws AppError 400 where the answer would be too large
 */
export async function listUploads(ctx: Ctx, filter: UploadFilter) {
  const [rows, [total = 0]] = await ctx.read("posts:read", [
    uploadPage(ctx.team, filter),
    uploadCount(ctx.team, filter),
  ]);
  const { limit, page: number } = filter;
  const page = await fillPage(rows, { parameter: "limit", limit, page: number }, async (ids) => {
    const [found] = await ctx.db.run([uploadsByIds(ctx.team, ids)]);
    return new Map(found.map((one) => [one.upload.id, one]));
  });
  return { page: page.map((one) => forCaller(ctx, one)), total };
}

/** @throws AppError NOT_FOUND */
export async function getUpload(ctx: Ctx, id: number): Promise<UploadWithAccount> {
  const [[upload]] = await ctx.read("posts:read", [uploadById(ctx.team, id)]);
  if (!upload) throw notFound("Upload");
  return forCaller(ctx, upload);
}

/** Waits between two looks, in ms: soon at first, 60 s in all. */
const LOOKS_MS = [
  250, 250, 500, 1_000, 1_000, 2_000, 3_000, 4_000, 6_000, 8_000, 10_000, 12_000, 12_000,
];

/**
 * The post once it is over, or as it stands after 60 seconds. Publishing goes on in the queue
 * whatever becomes of the caller; this only looks.
 */
export async function waitUntilDone(ctx: Ctx, upload: UploadRecord): Promise<UploadRecord> {
  let latest = upload;
  for (const ms of LOOKS_MS) {
    if (latest.status !== "pending" && latest.status !== "processing") break;
    await new Promise((resolve) => setTimeout(resolve, ms));
    const [[found]] = await ctx.db.run([uploadById(ctx.team, upload.id)]);
    latest = found?.upload ?? latest;
  }
  return latest;
}
