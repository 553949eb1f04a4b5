import { sql } from "drizzle-orm";
import { type FieldError, invalidFields, toFieldErrors } from "../../core/errors.ts";
import { coversScope } from "../../core/scopes.ts";
import { hasLoneSurrogate } from "../../core/text.ts";
import type { Query } from "../../db/client.ts";
import type { Ctx } from "../../deps.ts";
import type { Post, PostMedia } from "../../platforms/connector.ts";
import { fieldInfos } from "../../platforms/form-fields.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { emit } from "../events/emit.ts";
import { insertMedia, objectsInUse } from "../media/repo.ts";
import type { StoredFile } from "../media/store.ts";
import { discardFiles, type ReceivedMedia, type ReceivedPost, requireActive } from "./intake.ts";
import { insertMediaUses, insertUpload } from "./repo.ts";
import { groupOf, initialStatus, isWithinLookAhead, scheduleRefusal } from "./rules.ts";
import { commonFieldsSchema } from "./schema.ts";
import type { MediaRef, UploadRow } from "./table.ts";
import { wakeOnTime } from "./wake.ts";

type NewRow = Omit<UploadRow, "id">;

/** The id of the upload that the same batch has just inserted. */
const LAST_ID = sql`last_insert_rowid()`;

/**
 * Takes in one post for one account and queues it.
 *
 * @throws AppError 400 with every refused field, NOT_FOUND, ACCOUNT_INACTIVE; then nothing is stored
 */
export async function createUpload(ctx: Ctx, received: ReceivedPost): Promise<UploadRow> {
  let row: NewRow;
  try {
    row = await checkPost(ctx, received);
  } catch (error) {
    ctx.defer(discardFiles(ctx, received.media));
    throw error;
  }
  return storeUpload(ctx, row, received.media);
}

async function checkPost(ctx: Ctx, received: ReceivedPost): Promise<NewRow> {
  const { fields, media, errors: fileErrors } = received;
  const account = requireActive(received.account, fields.get("accountId")?.at(-1)?.trim() ?? "");
  const connector = connectorOf(account.platform);
  const errors = [...fileErrors, ...textErrors(fields)];

  const single = Object.fromEntries([...fields].map(([name, values]) => [name, values.at(-1)]));
  const common = commonFieldsSchema.safeParse(single);
  if (!common.success) errors.push(...toFieldErrors(common.error));
  const settings = connector.settings.safeParse(ownFields(fields));
  if (!settings.success) errors.push(...toFieldErrors(settings.error));
  const scheduledFor = common.data?.schedule_date ?? null;
  const refusal = scheduledFor && scheduleRefusal(scheduledFor, ctx.now());
  if (refusal) errors.push({ field: "schedule_date", message: `schedule_date: ${refusal}.` });

  errors.push(...unknownFieldErrors(fields));

  const isThumbnail = ({ field }: { field: string }) => field === "thumbnail";
  const shown = media.filter((item) => !isThumbnail(item));
  const thumbnail = media.findLast(isThumbnail);
  const post: Post = {
    title: presence(single.title),
    description: presence(single.description),
    media: [
      ...shown.map(toPostMedia),
      ...fileErrors.filter((error) => !isThumbnail(error)).map(() => UNKNOWN_IMAGE),
    ],
    thumbnail: thumbnail ? toPostMedia(thumbnail) : null,
    settings: settings.data ?? connector.settings.parse({}),
  };
  errors.push(...(await connector.check(post)));
  if (!common.success || !settings.success || errors.length > 0) throw invalidFields(errors);

  const { actor } = ctx;
  const mayPublish = coversScope(actor.scopes, "posts:publish");
  const status = initialStatus(common.data.status ?? null, scheduledFor, mayPublish);
  const now = ctx.now();
  const dueAt = status === "pending" ? now : status === "scheduled" ? scheduledFor : null;
  return {
    ...EMPTY_JOB,
    teamId: account.teamId,
    accountId: account.id,
    platform: account.platform,
    createdBy: actor.userId,
    status,
    statusGroup: groupOf(status),
    title: post.title,
    description: post.description,
    settings: settings.data as Record<string, unknown>,
    media: media.map(toMediaRef),
    fileSize: post.media.reduce((total, { sizeBytes }) => total + (sizeBytes ?? 0), 0),
    origin: received.origin,
    scheduledFor,
    sortAt: scheduledFor ?? now,
    createdAt: now,
    dueAt,
    wokenAt: dueAt && isWithinLookAhead(dueAt, now) ? dueAt : null,
  };
}

/** A job on which nobody has worked yet. */
const EMPTY_JOB = {
  attempt: 1,
  backoffs: 0,
  stage: "preparing",
  bookmark: null,
  fence: 0,
  leaseUntil: null,
  crashes: 0,
  progressedAt: null,
  submittedAt: null,
  countedAt: null,
  uploadedAt: null,
  failedAt: null,
  failureCode: null,
  errorMessage: null,
  metadata: null,
  approvedHash: null,
  reviewComment: null,
  deletedAt: null,
  creditsSpent: null,
  creditsRefunded: null,
} as const;

/** A field given once as a string, a repeated one as the array of its values. */
const ownFields = (fields: Map<string, string[]>) =>
  Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );

/** Blank text is no text. */
const presence = (text: string | undefined): string | null =>
  text === undefined || text.trim() === "" ? null : text;

/** Fields that begin like X's and are none of them. Source: spec, "Platform fields", `x`. */
function unknownFieldErrors(fields: Map<string, string[]>): FieldError[] {
  const known = Object.keys(fieldInfos(connectorOf("x").settings));
  return [...fields.keys()]
    .filter((field) => field.startsWith("x_") && !known.includes(field))
    .map((field) => ({
      field,
      message: `${field}: is no field of X. Its fields: ${known.join(", ")}.`,
    }));
}

const textErrors = (fields: Map<string, string[]>): FieldError[] =>
  [...fields]
    .filter(([, values]) => values.some((text) => hasLoneSurrogate(text) || text.includes("\0")))
    .map(([field]) => ({ field, message: `${field}: has characters that are not valid text.` }));

const UNKNOWN_IMAGE: PostMedia = {
  kind: "image",
  mime: null,
  sizeBytes: null,
  width: null,
  height: null,
};

/** A file that is still behind its URL is judged by its field alone; the job checks it again. */
const toPostMedia = (item: ReceivedMedia): PostMedia =>
  "file" in item
    ? item.file
    : { ...UNKNOWN_IMAGE, kind: item.field === "video" ? "video" : "image" };

const toMediaRef = (item: ReceivedMedia): MediaRef => ({
  ...("file" in item ? { sha256: item.file.sha256, kind: item.file.kind } : { url: item.url }),
  ...(item.field === "thumbnail" ? { role: "thumbnail" } : {}),
});

/** After a write whose answer was lost: what it stored stays, and what it did not goes. */
async function discardUnused(ctx: Ctx, teamId: number, files: StoredFile[]): Promise<void> {
  if (files.length === 0) return;
  const keys = files.map(({ objectKey }) => objectKey);
  const [used] = await ctx.db.run([objectsInUse(teamId, keys)]);
  const unused = keys.filter((key) => !used.includes(key));
  if (unused.length > 0) await ctx.media.delete(unused);
}

/** Files, post and event in one batch; then the wake-up call, which may get lost. */
async function storeUpload(ctx: Ctx, row: NewRow, media: ReceivedMedia[]): Promise<UploadRow> {
  const files = media.flatMap((item) => ("file" in item ? [item.file] : []));
  const statements: Query<number>[] = [
    insertUpload(ctx.db, row),
    ...files.map((file) => insertMedia(ctx.db, row.teamId, file, row.createdAt)),
  ];
  if (files.length > 0) {
    statements.push(
      insertMediaUses(
        row.teamId,
        files.map((file) => file.sha256),
      ),
    );
  }
  if (row.status === "scheduled") {
    statements.push(
      emit(ctx, {
        team: row.teamId,
        name: "upload.scheduled",
        data: {
          uploadId: LAST_ID,
          platform: row.platform,
          accountId: row.accountId,
          scheduledFor: row.scheduledFor?.toISOString(),
        },
      }),
    );
  }
  const [id = 0, ...stored] = await ctx.db.runAll(statements).catch((error) => {
    ctx.defer(discardUnused(ctx, row.teamId, files));
    throw error;
  });
  const known = media.filter((item) => "file" in item && stored[files.indexOf(item.file)] === 0);
  ctx.defer(discardFiles(ctx, known));
  if (row.wokenAt) await wakeOnTime(ctx, id, row.wokenAt);
  return { ...row, id };
}
