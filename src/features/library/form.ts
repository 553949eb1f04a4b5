import { fieldError, invalidFields } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { publicOrigin } from "../../http/env.ts";
import { type Fields, lastOf, readForm } from "../../http/multipart.ts";
import { flag, readField } from "../../platforms/kit/form-fields.ts";
import { checkMedia, discardFiles, readPresigned, takeFile, urlsIn } from "../compose/media.ts";
import type { MediaRole, NewMedia } from "../compose/new-post.ts";
import { DAMAGED } from "../media/files.ts";
import type { StoredFile } from "../media/table.ts";
import { cleanName } from "./schema.ts";

const FILE_FIELDS = new Map<string, MediaRole>([["file", "photo"]]);
const URL_FIELDS = new Map<string, MediaRole>([["url", "photo"]]);

export interface NewFile {
  file: StoredFile;
  isPresigned: boolean;
  name: string | undefined;
  keep: boolean;
  isOfDraft?: boolean;
}

/**
 * Stores no byte before the caller is known to be allowed to add files.
 *
 * @throws AppError for a refused caller or form, whose file is then deleted
 */
export async function readFileForm(ctx: Ctx, request: Request): Promise<NewFile> {
  const media: NewMedia[] = [];
  const enter = () => ctx.read("posts:write", []);
  try {
    const fields = await readForm(request, {
      onLarge: enter,
      onFile: async (part) => {
        if (!ctx.knownActor()) await enter();
        media.push(await takeFile(ctx, part, true, FILE_FIELDS));
      },
    });
    if (!ctx.knownActor()) await enter();
    return await readNewFile(ctx, request, media, fields);
  } catch (error) {
    ctx.defer(discardFiles(ctx, media));
    throw error;
  }
}

/** @throws AppError 400 with every refused field */
async function readNewFile(
  ctx: Ctx,
  request: Request,
  received: readonly NewMedia[],
  fields: Fields,
): Promise<NewFile> {
  const media = [...received, ...urlsIn(fields, URL_FIELDS)];
  const origin = publicOrigin(ctx, request.url);
  const presigned = await readPresigned(ctx, { media, overrides: {}, origin });
  const keep = readField(flag, lastOf(fields, "keep"));
  const sentName = lastOf(fields, "name")?.trim() || undefined;
  const name = sentName === undefined ? null : cleanName.safeParse(sentName);
  const [one, ...others] = media;
  const own = one && "url" in one ? presigned.get(one.url) : undefined;
  const file = one && "received" in one ? one.received : own && !("refusal" in own) ? own : null;
  const errors = [
    ...keep.refusals.map((reason) => fieldError("keep", reason)),
    ...(name?.error?.issues ?? []).map(({ message }) => fieldError("name", message)),
    ...(one ? [] : [fieldError("file", "send a file, or the url of a presigned upload.")]),
    ...(others.length > 0 ? [fieldError("file", "send one file in each call.")] : []),
    ...(one && "url" in one && !own ? [fieldError("url", FOREIGN)] : []),
    ...(one && (own || !("url" in one)) ? refusalsOf(ctx, one, presigned) : []),
    ...(file?.isDamaged ? [fieldError(one?.field ?? "file", DAMAGED)] : []),
  ];
  if (errors.length > 0 || !file) throw invalidFields(errors);
  return { file, isPresigned: own !== undefined, name: name?.data, keep: keep.value === true };
}

const FOREIGN =
  "must be bucketUrl or accessUrl of POST /upload/presign. Send a file from elsewhere as `file`.";

const refusalsOf = (...[ctx, one, presigned]: [Ctx, NewMedia, Parameters<typeof checkMedia>[3]]) =>
  checkMedia(ctx, [one], [], presigned).flatMap((item) =>
    "refusal" in item ? [item.refusal] : [],
  );
