import { toFieldErrors } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { parseInstant } from "../../core/time.ts";
import type { Ctx } from "../../deps.ts";
import { publicOrigin } from "../../http/env.ts";
import { type Fields, lastOf, readForm } from "../../http/multipart.ts";
import { postFieldsSchema } from "../content/schema.ts";
import type { Looked } from "../idempotency/once.ts";
import { batchAccounts, readBatchFields } from "./bulk-form.ts";
import { type Known, lookUp, SCOPE } from "./lookup.ts";
import { discardFiles, takeFile, URL_FIELDS, urlsIn } from "./media.ts";
import { EMPTY_POST, type NewMedia, type NewPost } from "./new-post.ts";

/**
 * The form fields that are no setting. In a batch they may be as long as the form allows, and are not
 * stored.
 */
const NO_SETTINGS = new Set([
  ...URL_FIELDS.keys(),
  ...Object.keys(postFieldsSchema.shape),
  ...["accounts", "overrides"],
]);

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
