import { Hono } from "hono";
import { cors } from "hono/cors";
import { type ByteRange, parseByteRange } from "../../core/byte-range.ts";
import { notFound } from "../../core/errors.ts";
import { countVisitor } from "../../http/caller.ts";
import type { AppContext, AppEnv } from "../../http/env.ts";
import { headersOfFile } from "../media/files.ts";

/** The address is the only secret. */
export const fileRoutes = new Hono<AppEnv>();

/** Any page may read public files: no cookie is involved. */
const anyPage = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD"],
  allowHeaders: ["range"],
  exposeHeaders: ["accept-ranges", "content-length", "content-range", "etag", "x-request-id"],
  maxAge: 86_400,
});

fileRoutes.use("/files/presigned/*", anyPage);
fileRoutes.get("/files/presigned/:teamId{[1-9][0-9]{0,14}}/:key{[0-9a-f]{32}}", async (c) => {
  await countVisitor(c, "media");
  return serveObject(c, c.req.path.slice("/files/".length));
});

async function serveObject(c: AppContext, objectKey: string): Promise<Response> {
  const { media } = c.var.deps;
  if (c.req.method === "HEAD") {
    // Ranges apply to GET only. Source: RFC 9110, 14.2.
    const object = await media.head(objectKey);
    if (!object) throw notFound("File");
    return c.body(null, 200, headersOf(object, null));
  }
  const header = c.req.header("range");
  const head = header === undefined ? null : await media.head(objectKey);
  const range = head && parseByteRange(header, head.size);
  if (range === "unsatisfiable") {
    return c.body(null, 416, { "Content-Range": `bytes */${head?.size}` });
  }
  const object = await media.get(objectKey, range ? { range } : {});
  if (!object) throw notFound("File");
  return c.body(object.body, range ? 206 : 200, headersOf(object, range));
}

const headersOf = (object: R2Object, range: ByteRange | null) => {
  const mime = object.httpMetadata?.contentType ?? "application/octet-stream";
  return headersOfFile({ mime, sizeBytes: object.size }, object, range);
};
