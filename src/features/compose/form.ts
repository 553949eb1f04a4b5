import { type FieldError, fieldError, toFieldErrors } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { parseInstant } from "../../core/time.ts";
import type { Ctx } from "../../deps.ts";
import { publicOrigin } from "../../http/env.ts";
import { type Fields, lastOf, readForm } from "../../http/multipart.ts";
import { postFieldsSchema } from "../content/schema.ts";
import type { Looked } from "../idempotency/once.ts";
import { batchAccounts, batchOverrides, readBatchFields } from "./bulk-form.ts";
import { type Findings, lookUp, SCOPE } from "./lookup.ts";
import {
  discardFiles,
  type FormPart,
  inFormOrder,
  isIdField,
  namedFiles,
  takeFile,
  URL_FIELDS,
  urlsIn,
} from "./media.ts";
import { EMPTY_POST, isMisnamedDate, type NewMedia, type NewPost } from "./new-post.ts";

const NO_SETTINGS = new Set([
  ...URL_FIELDS.keys(),
  ...Object.keys(postFieldsSchema.shape),
  "accounts",
  "overrides",
]);

interface Received {
  post: NewPost;
  looked: Looked<Findings>;
}

interface Intake {
  call: NamedCall | null;
  /** When false, files are only measured. */
  storesFiles: boolean;
  accountsIn(fields: Fields): string[];
  overridesIn(fields: Fields): NewPost["overrides"];
  readOwn(post: NewPost, fields: Fields): NewPost;
}

/** @throws AppError for a refused caller or form */
export const readPostForm = (
  ctx: Ctx,
  request: Request,
  call: NamedCall | null,
): Promise<Received> =>
  readPost(ctx, request, {
    call,
    storesFiles: true,
    accountsIn: accountIn,
    overridesIn: () => ({}),
    readOwn: ({ settings: { accountId: _, ...settings }, ...post }) => ({ ...post, settings }),
  });

/** @throws AppError for a refused caller or form */
export const readBatchForm = (
  ctx: Ctx,
  request: Request,
  { call = null, storesFiles }: { call?: NamedCall | null; storesFiles: boolean },
): Promise<Received> =>
  readPost(ctx, request, {
    call,
    storesFiles,
    accountsIn: batchAccounts,
    overridesIn: batchOverrides,
    readOwn: readBatchFields,
  });

/**
 * Reads a form as a stream. Authenticates before the first byte is stored, and reads the accounts in the same round
 * trip if the form has named them.
 *
 * @throws AppError for a refused caller or form, whose files are then deleted
 */
async function readPost(ctx: Ctx, request: Request, intake: Intake): Promise<Received> {
  const { call, storesFiles, accountsIn, overridesIn } = intake;
  const media: NewMedia[] = [];
  const parts: FormPart[] = [];
  let looked: Promise<Looked<Findings>> | null = null;
  let lookedUpKey = "";
  const enter = (fields: Fields): Promise<Looked<Findings>> => {
    const question = {
      call,
      accountIds: accountsIn(fields),
      scheduledFor: dateIn(fields),
      overrides: overridesIn(fields),
      media: namedFiles(fields),
    };
    // What came after a file is looked up again.
    const dates = Object.entries(question.overrides).map(([key, own]) => [key, own.scheduledFor]);
    const key = JSON.stringify([
      question.accountIds,
      question.scheduledFor,
      dates,
      question.media.map((item) => "sha256" in item && item.sha256),
    ]);
    if (!looked || key !== lookedUpKey) looked = lookUp(ctx, question);
    lookedUpKey = key;
    return looked;
  };
  try {
    const fields = await readForm(request, {
      onPart: (field, isFile) => parts.push({ field, isFile }),
      onLarge: () => looked ?? ctx.read(SCOPE, []),
      onFile: async (part, soFar) => {
        await enter(soFar);
        media.push(await takeFile(ctx, part, storesFiles));
      },
    });
    const facts = await enter(fields);
    const post: NewPost = {
      ...EMPTY_POST,
      ...readCommon(fields),
      call,
      accountIds: accountsIn(fields),
      media: [...inFormOrder(parts, media, fields), ...urlsIn(fields)],
      origin: publicOrigin(ctx, request.url),
    };
    return { post: intake.readOwn(post, fields), looked: facts };
  } catch (error) {
    if (storesFiles) ctx.defer(discardFiles(ctx, media));
    throw error;
  }
}

const accountIn = (fields: Fields): string[] => {
  const ids = (fields.get("accountId") ?? []).map((id) => id.trim());
  return ids.at(-1) ? [...new Set(ids)] : [];
};

const dateIn = (fields: Fields): Date | null => parseInstant(lastOf(fields, "schedule_date") ?? "");

const whenAndWhere = postFieldsSchema.pick({ schedule_date: true, status: true });

function readCommon(
  fields: Fields,
): Pick<NewPost, "title" | "description" | "scheduledFor" | "status" | "settings" | "refused"> {
  const [schedule_date, status] = [lastOf(fields, "schedule_date"), lastOf(fields, "status")];
  const read = whenAndWhere.safeParse({ schedule_date, status });
  const others = [...fields].filter(([name]) => !NO_SETTINGS.has(name) && !isIdField(name));
  return {
    title: lastOf(fields, "title") ?? null,
    description: lastOf(fields, "description") ?? null,
    scheduledFor: dateIn(fields),
    status: read.data?.status ?? null,
    settings: Object.fromEntries(
      others.map(([name, values]) => [name, values.length === 1 ? values[0] : [...values]]),
    ),
    refused: {
      targets: [],
      fields: [...(read.success ? [] : toFieldErrors(read.error)), ...misnamedDates(fields)],
    },
  };
}

const misnamedDates = (fields: Fields): FieldError[] =>
  [...fields.keys()]
    .filter(isMisnamedDate)
    .map((name) => fieldError(name, "is no field here. Send the date as schedule_date."));
