import { Hono } from "hono";
import { parseByteRange } from "../../core/byte-range.ts";
import { AppError, notFound } from "../../core/errors.ts";
import { NO_IMAGES } from "../../core/missing-bindings.ts";
import { countVisitor } from "../../http/caller.ts";
import type { AppContext, AppEnv } from "../../http/env.ts";
import { labelAsMadeByAi } from "./ai-label.ts";
import {
  FILE_HEADERS,
  type FileObject,
  findFile,
  headersOfFile,
  isGoodAddress,
  keptThumbnail,
  MEDIA_VARIANTS,
  type MediaVariant,
  THUMBNAIL,
} from "./files.ts";
import { mediaByHash } from "./repo.ts";

/** For platforms that pull files, and images in API answers. */
export const mediaRoutes = new Hono<AppEnv>();

const TRANSFORMS: Record<Exclude<MediaVariant, "original">, ImageTransform> = {
  thumbnail: THUMBNAIL,
  jpeg: {},
  labelled: {},
  vertical: { width: 1_080, height: 1_920, fit: "pad", background: "#000000" },
};

mediaRoutes.get(
  `/media/:teamId{[0-9]+}/:sha256{[0-9a-f]{64}}/:variant{${MEDIA_VARIANTS.join("|")}}`,
  (c) => serveFile(c),
);

async function serveFile(c: AppContext): Promise<Response> {
  const { deps } = c.var;
  const verdict = countVisitor(c, "media");
  const { teamId, sha256, variant } = c.req.param() as Record<string, string>;
  const address = {
    teamId: Number(teamId),
    sha256: sha256 ?? "",
    variant: variant as MediaVariant,
    expires: Number(c.req.query("expires")),
  };
  if (!(await isGoodAddress(deps, address, c.req.query("signature") ?? ""))) {
    await verdict;
    throw notFound("File");
  }
  const [[[file]]] = await Promise.all([deps.db.run([mediaByHash(address)]), verdict]);
  if (!file) {
    if (address.variant === "thumbnail") return serveKeptThumbnail(c, address);
    throw notFound("File");
  }
  if (address.variant !== "original") return serveImage(c, file, address.variant);

  const range = parseByteRange(c.req.header("range"), file.sizeBytes);
  if (range === "unsatisfiable") {
    return c.body(null, 416, { "Content-Range": `bytes */${file.sizeBytes}` });
  }
  const object = await findFile(deps, file, range ?? undefined);
  if (!object) throw notFound("File");
  return c.body(object.body, range ? 206 : 200, headersOfFile(file, object, range));
}

/** The thumbnail outlives the file of a published post. */
async function serveKeptThumbnail(
  c: AppContext,
  { teamId, sha256 }: { teamId: number; sha256: string },
): Promise<Response> {
  const object = await keptThumbnail(c.var.deps, teamId, sha256);
  if (!object) throw notFound("File");
  return c.body(object.body, 200, {
    ...FILE_HEADERS,
    "Content-Type": "image/jpeg",
    "Content-Length": String(object.size),
    ETag: object.httpEtag,
  });
}

/** Buffers the image, because platforms require a Content-Length. */
async function serveImage(
  c: AppContext,
  file: FileObject & { mime: string; sizeBytes: number },
  variant: keyof typeof TRANSFORMS,
): Promise<Response> {
  const { images } = c.var.deps;
  const object = await findFile(c.var.deps, file);
  if (!object) throw notFound("File");
  // Browsers scale pictures themselves.
  if (!images && variant === "thumbnail") {
    return c.body(object.body, 200, headersOfFile(file, object, null));
  }
  if (!images) throw new AppError("UNAVAILABLE", NO_IMAGES);
  try {
    const made = await images
      .input(object.body)
      .transform(TRANSFORMS[variant])
      .output({ format: "image/jpeg" });
    const plain = new Uint8Array(await made.response().arrayBuffer());
    const bytes = variant === "labelled" ? labelAsMadeByAi(plain) : plain;
    return c.body(bytes, 200, {
      ...FILE_HEADERS,
      "Content-Type": "image/jpeg",
      "Content-Length": String(bytes.byteLength),
    });
  } catch (error) {
    // A damaged file may begin like an image.
    c.var.deps.log({ event: "image.failed", variant, error: String(error) });
    throw notFound("Image");
  }
}
