import { toFieldErrors, tooLarge } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { parseInstant } from "../../core/time.ts";
import type { Ctx } from "../../deps.ts";
import { publicOrigin } from "../../http/env.ts";
import { type Fields, type FilePart, lastOf, readForm } from "../../http/multipart.ts";
import type { Looked } from "../idempotency/once.ts";
import { measureFile, storeFile } from "../media/store.ts";
import { postFieldsSchema } from "../posts/schema.ts";
import { batchAccounts, readBatchFields } from "./bulk-form.ts";
import { type Known, lookUp, SCOPE } from "./lookup.ts";
import { EMPTY_POST, type MediaRole, type NewMedia, type NewPost } from "./new-post.ts";
import { discardFiles } from "./store-posts.ts";

/** The form fields that carry a file or its URL. Source: spec, POST /upload. */
const FILE_FIELDS = new Map<string, MediaRole>([
  ["photo", "photo"],
  ["file", "photo"],
  ["video", "video"],
  ["thumbnail", "thumbnail"],
]);
const URL_FIELDS = new Map<string, MediaRole>([...FILE_FIELDS, ["thumbnail_url", "thumbnail"]]);

/**
 * The form fields that are no setting. In a batch they may be as long as the form allows, and are not
 * stored.
 */
const NO_SETTINGS = new Set([
  ...URL_FIELDS.keys(),
  ...Object.keys(postFieldsSchema.shape),
  ...["accounts", "overrides"],
]);

/** Source: spec, "Limits": file part in POST /upload. */
const MAX_FILE_BYTES = 100_000_000;

/** A post read from a form, and the facts that were read on the way. */
interface Received {
  post: NewPost;
  looked: Looked<Known>;
}

/** How one kind of form is read. */
interface Intake {
  call: NamedCall | null;
  /** False: files are measured and forgotten. */
  storesFiles: boolean;
  /** Returns the accounts named by the fields read so far. */
  accountsIn(fields: Fields): string[];
  /** Moves the fields of this kind of form out of the settings. */
  readOwn(post: NewPost, fields: Fields): NewPost;
}

/** Reads the form of one post for one account. @throws AppError what `readPost` throws */
export const readPostForm = (
  ctx: Ctx,
  request: Request,
  call: NamedCall | null,
): Promise<Received> =>
  readPost(ctx, request, {
    call,
    storesFiles: true,
    accountsIn: accountIn,
    readOwn: ({ settings: { accountId: _, ...settings }, ...post }) => ({ ...post, settings }),
  });

/** Reads the form of one post for many accounts. @throws AppError what `readPost` throws */
export const readBatchForm = (
  ctx: Ctx,
  request: Request,
  { call = null, storesFiles }: { call?: NamedCall | null; storesFiles: boolean },
): Promise<Received> =>
  readPost(ctx, request, {
    call,
    storesFiles,
    accountsIn: batchAccounts,
    readOwn: readBatchFields,
  });

/**
 * Reads a form as a stream. Authenticates before the first byte is stored, and looks the accounts up in
 * the same round trip where the form names them early enough.
 *
 * @throws AppError what `lookUp` and `readForm` throw; then no file is left
 */
async function readPost(ctx: Ctx, request: Request, intake: Intake): Promise<Received> {
  const { call, storesFiles, accountsIn } = intake;
  const media: NewMedia[] = [];
  let looked: Promise<Looked<Known>> | null = null;
  let asked = "";
  const enter = (fields: Fields): Promise<Looked<Known>> => {
    const question = { call, accountIds: accountsIn(fields), scheduledFor: dateIn(fields), media };
    // A form may name its date or accounts after a file: then they are looked up again.
    const key = JSON.stringify([question.accountIds, question.scheduledFor]);
    if (!looked || key !== asked) looked = lookUp(ctx, question);
    asked = key;
    return looked;
  };
  try {
    const fields = await readForm(request, {
      onLarge: () => looked ?? ctx.read(SCOPE, []),
      onFile: async (part, soFar) => {
        await enter(soFar);
        media.push(await takeFile(ctx, part, storesFiles));
      },
    });
    const known = await enter(fields);
    const post: NewPost = {
      ...EMPTY_POST,
      ...readCommon(fields),
      call,
      accountIds: accountsIn(fields),
      media: [...media, ...urlsIn(fields)],
      origin: publicOrigin(ctx, request.url),
    };
    return { post: intake.readOwn(post, fields), looked: known };
  } catch (error) {
    if (storesFiles) ctx.defer(discardFiles(ctx, media));
    throw error;
  }
}

/** Returns the files that the form names by URL, in its order. `named`: the fields that may. */
export const urlsIn = (
  fields: Fields,
  named: ReadonlyMap<string, MediaRole> = URL_FIELDS,
): NewMedia[] =>
  [...fields].flatMap(([field, values]) => {
    const role = named.get(field);
    if (!role) return [];
    const urls = values.map((value) => value.trim()).filter((url) => url !== "");
    return urls.map((url) => ({ role, field, url }));
  });

/** Returns the account that the form names; `createPost` refuses several. */
const accountIn = (fields: Fields): string[] => {
  const ids = (fields.get("accountId") ?? []).map((id) => id.trim());
  return ids.at(-1) ? [...new Set(ids)] : [];
};

/** Returns the planned date among the fields read so far; null for at once. */
const dateIn = (fields: Fields): Date | null => parseInstant(lastOf(fields, "schedule_date") ?? "");

const whenAndWhere = postFieldsSchema.pick({ schedule_date: true, status: true });

/** Reads the fields of every form; all others are settings of platforms. */
function readCommon(
  fields: Fields,
): Pick<NewPost, "title" | "description" | "scheduledFor" | "status" | "settings" | "refused"> {
  const [schedule_date, status] = [lastOf(fields, "schedule_date"), lastOf(fields, "status")];
  const read = whenAndWhere.safeParse({ schedule_date, status });
  const others = [...fields].filter(([name]) => !NO_SETTINGS.has(name));
  return {
    title: lastOf(fields, "title") ?? null,
    description: lastOf(fields, "description") ?? null,
    scheduledFor: dateIn(fields),
    status: read.data?.status ?? null,
    settings: Object.fromEntries(
      others.map(([name, values]) => [name, values.length === 1 ? values[0] : [...values]]),
    ),
    refused: { targets: [], fields: read.success ? [] : toFieldErrors(read.error) },
  };
}

/**
 * Takes a file in; `fields`: those that may carry one.
 *
 * @throws AppError 413
 */
export async function takeFile(
  ctx: Ctx,
  part: FilePart,
  storesFiles: boolean,
  fields: ReadonlyMap<string, MediaRole> = FILE_FIELDS,
): Promise<NewMedia> {
  const { field, name, bytes } = part;
  const role = fields.get(field);
  const refuse = (refusal: string): NewMedia => ({ role: role ?? "photo", field, refusal });
  if (!role) {
    for await (const _ of bytes);
    return refuse(`is not a file field. Use ${[...fields.keys()].join(", ")}.`);
  }
  const taken = storesFiles
    ? await storeFile(ctx, ctx.actor.teamId, bytes, MAX_FILE_BYTES, name)
    : await measureFile(bytes, MAX_FILE_BYTES, name);
  if (taken === "too_large") throw tooLarge(`${field}: a file must be under 100 MB.`);
  if (taken === "empty") return refuse("the file is empty.");
  if (taken === "unknown_type") {
    return refuse("the file is not an image, video or document of a known type.");
  }
  return { role, field, received: taken };
}
