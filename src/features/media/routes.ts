import { Hono } from "hono";
import { parseByteRange } from "../../core/byte-range.ts";
import { notFound } from "../../core/errors.ts";
import type { AppContext, AppEnv } from "../../http/env.ts";
import { isGoodAddress, type MediaVariant } from "./address.ts";
import { mediaByHash } from "./repo.ts";

/** Files by signed address: for platforms that pull, and for the pictures in API answers. */
export const mediaRoutes = new Hono<AppEnv>();

const THUMBNAIL_PIXELS = 320;

/** A file of a stranger's making must not be able to do anything in a browser. */
const FILE_HEADERS = {
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Cache-Control": "private, max-age=3600",
};

mediaRoutes.get("/media/:teamId{[0-9]+}/:sha256{[0-9a-f]{64}}/:variant{original|thumbnail}", (c) =>
  serveFile(c),
);

async function serveFile(c: AppContext): Promise<Response> {
  const { deps } = c.var;
  const { teamId, sha256, variant } = c.req.param() as Record<string, string>;
  const address = {
    teamId: Number(teamId),
    sha256: sha256 ?? "",
    variant: variant as MediaVariant,
    expires: Number(c.req.query("expires")),
  };
  if (!(await isGoodAddress(deps, address, c.req.query("signature") ?? ""))) {
    throw notFound("File");
  }
  const [[file]] = await deps.db.run([mediaByHash(address.teamId, address.sha256)]);
  if (!file) throw notFound("File");
  if (address.variant === "thumbnail") return serveThumbnail(c, file.objectKey);

  const range = parseByteRange(c.req.header("range"), file.sizeBytes);
  if (range === "unsatisfiable") {
    return c.body(null, 416, { "Content-Range": `bytes */${file.sizeBytes}` });
  }
  const object = await deps.media.get(file.objectKey, range ? { range } : {});
  if (!object) throw notFound("File");
  const headers: Record<string, string> = {
    ...FILE_HEADERS,
    "Content-Type": file.mime,
    "Content-Length": String(range?.length ?? file.sizeBytes),
    "Accept-Ranges": "bytes",
    ETag: object.httpEtag,
  };
  if (range) {
    const last = range.offset + range.length - 1;
    headers["Content-Range"] = `bytes ${range.offset}-${last}/${file.sizeBytes}`;
  }
  return c.body(object.body, range ? 206 : 200, headers);
}

async function serveThumbnail(c: AppContext, objectKey: string): Promise<Response> {
  const object = await c.var.deps.media.get(objectKey);
  if (!object) throw notFound("File");
  try {
    const made = await c.var.deps.images
      .input(object.body)
      .transform({ width: THUMBNAIL_PIXELS, height: THUMBNAIL_PIXELS, fit: "scale-down" })
      .output({ format: "image/jpeg" });
    return c.body(made.image(), 200, { ...FILE_HEADERS, "Content-Type": "image/jpeg" });
  } catch (error) {
    // What begins like an image need not be one.
    c.var.deps.log({ event: "thumbnail.failed", error: String(error) });
    throw notFound("Thumbnail");
  }
}
