import { AppError, type FieldError, invalidFields, tooLarge } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { publicOrigin } from "../../http/env.ts";
import { type FilePart, type Form, readForm } from "../../http/multipart.ts";
import type { MediaKind } from "../../platforms/connector.ts";
import { accountById } from "../accounts/repo.ts";
import type { AccountRow } from "../accounts/table.ts";
import { refusedMediaUrl } from "../media/download.ts";
import { type StoredFile, storeFile } from "../media/store.ts";

/** The form fields that carry media, and what each takes. Source: spec, POST /upload. */
const MEDIA_FIELDS = new Map<string, readonly MediaKind[]>([
  ["photo", ["image", "video", "document"]],
  ["file", ["image", "video", "document"]],
  ["video", ["video"]],
  ["thumbnail", ["image"]],
]);

/** A field that names a file by its URL alone, and the field that it stands for. */
const URL_FIELDS = new Map([["thumbnail_url", "thumbnail"]]);

/** Source: spec, "Limits": file part in POST /upload. */
const MAX_FILE_BYTES = 100_000_000;

/** A file of the request, or a URL in its place. */
export type ReceivedMedia = { field: string; file: StoredFile } | { field: string; url: string };

export interface ReceivedPost {
  /** The address of ours under which it came in. */
  origin: string;
  /** Text fields, media URLs taken out; the last value wins where one is wanted. */
  fields: Map<string, string[]>;
  /** In the order of the request: files first, then URLs. */
  media: ReceivedMedia[];
  /** Null for an account that is not the team's. */
  account: AccountRow | null;
  /** What was wrong with files, to be told together with the other fields. */
  errors: FieldError[];
}

/**
 * Takes a post in: authenticates before the first byte is stored, streams its files to storage, and
 * reads the account in the same round trip where the form names it early enough.
 *
 * @throws AppError what `ctx.read` and `readForm` throw
 */
export async function receivePost(ctx: Ctx, request: Request): Promise<ReceivedPost> {
  const media: ReceivedMedia[] = [];
  const errors: FieldError[] = [];
  let lookup: Promise<AccountRow | null> | null = null;
  let isAuthenticated = false;

  const findAccount = async (accountId: string): Promise<AccountRow | null> => {
    const [[account]] = await ctx.read("posts:write", [accountById(ctx.db, ctx.team, accountId)]);
    return account ?? null;
  };
  const enter = async (form: Form): Promise<void> => {
    const accountId = form.fields.get("accountId")?.at(-1)?.trim();
    if (accountId && !lookup) lookup = findAccount(accountId);
    if (lookup) await lookup;
    else if (!isAuthenticated) await ctx.read("posts:write", []);
    isAuthenticated = true;
  };

  try {
    const form = await readForm(request, async (part, soFar) => {
      await enter(soFar);
      const taken = await takeFile(ctx, part);
      if ("message" in taken) errors.push(taken);
      else media.push(taken);
    });
    await enter(form);
    if (new Set(form.fields.get("accountId")).size > 1) {
      errors.push({ field: "accountId", message: "accountId: give one account; bulk takes many." });
    }
    for (const [name, values] of form.fields) {
      const field = URL_FIELDS.get(name) ?? name;
      if (!MEDIA_FIELDS.has(field)) continue;
      form.fields.delete(name);
      for (const url of values.map((value) => value.trim()).filter(Boolean)) {
        const refusal = refusedMediaUrl(ctx, url);
        if (refusal) errors.push({ field: name, message: `${name}: the media URL ${refusal}.` });
        else media.push({ field, url });
      }
    }
    const origin = publicOrigin(ctx, request.url);
    return { origin, fields: form.fields, media, account: lookup ? await lookup : null, errors };
  } catch (error) {
    ctx.defer(discardFiles(ctx, media));
    throw error;
  }
}

async function takeFile(ctx: Ctx, part: FilePart): Promise<ReceivedMedia | FieldError> {
  const { field } = part;
  const refuse = async (message: string): Promise<FieldError> => {
    for await (const _ of part.bytes);
    return { field, message: `${field}: ${message}` };
  };
  const kinds = MEDIA_FIELDS.get(field);
  if (!kinds) {
    return refuse(`is no file field. Use ${[...MEDIA_FIELDS.keys()].join(", ")}.`);
  }
  const stored = await storeFile(ctx, ctx.actor.teamId, part.bytes, MAX_FILE_BYTES, part.name);
  if (stored === "too_large") throw tooLarge(`${field}: a file must be under 100 MB.`);
  if (stored === "empty") return { field, message: `${field}: the file is empty.` };
  if (stored === "unknown_type") {
    const message = `${field}: the file is no image, video or document that we know.`;
    return { field, message };
  }
  if (kinds.includes(stored.kind)) return { field, file: stored };
  await ctx.media.delete(stored.objectKey);
  const wanted = kinds.map(article).join(" or ");
  return { field, message: `${field}: this is ${article(stored.kind)}, not ${wanted}.` };
}

const article = (kind: MediaKind) => (kind === "image" ? "an image" : `a ${kind}`);

/** Removes the objects of a post that was not stored. */
export async function discardFiles(ctx: Ctx, media: readonly ReceivedMedia[]): Promise<void> {
  const keys = media.flatMap((item) => ("file" in item ? [item.file.objectKey] : []));
  if (keys.length > 0) await ctx.media.delete(keys);
}

/** @throws AppError NOT_FOUND or ACCOUNT_INACTIVE; 400 where no account was named */
export function requireActive(account: AccountRow | null, accountId: string): AccountRow {
  if (!accountId) {
    throw invalidFields([
      { field: "accountId", message: "accountId: is required: the id of a connected account" },
    ]);
  }
  if (!account) {
    throw new AppError("NOT_FOUND", `Account ${accountId} not found. GET /accounts lists yours.`);
  }
  if (account.status !== "active") {
    throw new AppError(
      "ACCOUNT_INACTIVE",
      `${account.accountName} is ${account.status}. Reconnect the account first.`,
    );
  }
  return account;
}
