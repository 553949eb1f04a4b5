import { AppError, type FieldError, invalidFields, tooLarge } from "../../../core/errors.ts";
import type { Scope } from "../../../core/scopes.ts";
import { sha256Hex } from "../../../core/signature.ts";
import { parseInstant } from "../../../core/time.ts";
import type { Query } from "../../../db/client.ts";
import type { Ctx } from "../../../deps.ts";
import { publicOrigin } from "../../../http/env.ts";
import { type FilePart, type Form, readForm } from "../../../http/multipart.ts";
import type { MediaKind } from "../../../platforms/connector.ts";
import { type NamedCall, type StoredAnswer, storedAnswer } from "../../idempotency/repo.ts";
import { refusedMediaUrl } from "../../media/download.ts";
import { measureFile, type StoredFile, storeFile } from "../../media/store.ts";
import { recentPosts } from "../repo/read.ts";
import { type AccountFacts, accountFacts } from "./admission.ts";
import { DUPLICATE_WINDOW_MS, type RecentPost } from "./content-rules.ts";
import { urlRefusal } from "./text-bounds.ts";

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

const SCOPE: Scope = "posts:write";

/** A file of the request, or a URL in its place. */
export type ReceivedMedia = { field: string; file: StoredFile } | { field: string; url: string };

/** How a form is taken in. */
export interface Intake {
  /** The accounts that the form names, as far as it has come; null while it names none. */
  accountsIn(fields: Map<string, string[]>): string[] | null;
  /** Without it, files are read, judged and forgotten. */
  storesFiles: boolean;
  /** The call's name, where it has one. */
  call: NamedCall | null;
}

export interface ReceivedPost {
  /** The address of ours under which it came in. */
  origin: string;
  /** Text fields, media URLs taken out; the last value wins where one is wanted. */
  fields: Map<string, string[]>;
  /** In the order of the request: files first, then URLs. */
  media: ReceivedMedia[];
  /** Those of the named accounts that are the team's. */
  facts: AccountFacts[];
  /** What these accounts have posted lately. */
  recent: RecentPost[];
  /** What was wrong with files, to be told together with the other fields. */
  errors: FieldError[];
  /** What the same call was answered before; null for a new one. */
  stored: StoredAnswer | null;
}

interface Known {
  facts: AccountFacts[];
  recent: RecentPost[];
  stored: StoredAnswer | null;
}

const NOBODY: Known = { facts: [], recent: [], stored: null };

/**
 * Takes a post in: authenticates before the first byte is stored, streams its files to storage, and
 * reads what is to be known of its accounts in the same round trip where the form names them early
 * enough.
 *
 * @throws AppError what `ctx.read` and `readForm` throw
 */
export async function receivePost(
  ctx: Ctx,
  request: Request,
  intake: Intake,
): Promise<ReceivedPost> {
  const media: ReceivedMedia[] = [];
  const errors: FieldError[] = [];
  let lookup: Promise<Known> | null = null;
  let entry: Promise<unknown> | null = null;

  // A form that names its date after a file has been looked up for another.
  let lookedAt: Date | null = null;

  const authenticate = (): Promise<unknown> => {
    entry = lookup ?? entry ?? ctx.read(SCOPE, []);
    return entry;
  };
  const enter = (form: Form): Promise<unknown> => {
    const ids = intake.accountsIn(form.fields);
    const at = plannedFor(form.fields);
    if (ids && (!lookup || at?.getTime() !== lookedAt?.getTime())) {
      lookup = lookUp(ctx, ids, intake.call, { at });
      lookedAt = at;
    }
    return authenticate();
  };

  try {
    const form = await readForm(request, {
      onLarge: authenticate,
      onFile: async (part, soFar) => {
        await enter(soFar);
        const taken = await takeFile(ctx, part, intake.storesFiles);
        if ("message" in taken) errors.push(taken);
        else media.push(taken);
      },
    });
    await enter(form);
    for (const [name, values] of form.fields) {
      const field = URL_FIELDS.get(name) ?? name;
      if (!MEDIA_FIELDS.has(field)) continue;
      form.fields.delete(name);
      for (const url of values.map((value) => value.trim()).filter(Boolean)) {
        const refusal = urlRefusal(url) ?? refusedMediaUrl(ctx, url);
        if (refusal) errors.push({ field: name, message: `${name}: the media URL ${refusal}.` });
        else media.push({ field, url });
      }
    }
    const origin = publicOrigin(ctx, request.url);
    const known = lookup ? await (lookup as Promise<Known>) : NOBODY;
    return { origin, fields: form.fields, media, errors, ...known };
  } catch (error) {
    ctx.defer(discardFiles(ctx, media));
    throw error;
  }
}

/** Somebody who loses so often against others is told to come again. */
const MAX_TRIES = 5;

/**
 * Lets `take` have what was received, and where somebody was faster (its answer is null) once more as
 * things stand then. The files of what is refused go; what becomes of them where a write broke off is
 * known to who wrote.
 *
 * @throws AppError QUEUE_BUSY, and what `take` throws
 */
export async function takeIn<T>(
  ctx: Ctx,
  received: ReceivedPost,
  intake: Intake,
  take: (latest: ReceivedPost) => Promise<T | null>,
): Promise<T> {
  try {
    for (let tries = 0, latest = received; tries < MAX_TRIES; tries++) {
      if (tries > 0) latest = await lookAgain(ctx, received, intake);
      const taken = await take(latest);
      if (taken !== null) return taken;
    }
    const message = "Others took the same places at the same moment. Send the call again.";
    throw new AppError("QUEUE_BUSY", message);
  } catch (error) {
    if (error instanceof AppError) ctx.defer(discardFiles(ctx, received.media));
    throw error;
  }
}

/**
 * A post that was taken in, once more as things stand now: somebody has been faster since. What it would
 * be among the drafts is known with it.
 */
export async function lookAgain(
  ctx: Ctx,
  received: ReceivedPost,
  { accountsIn, call }: Pick<Intake, "accountsIn" | "call">,
): Promise<ReceivedPost> {
  const ids = accountsIn(received.fields) ?? [];
  const at = plannedFor(received.fields);
  return { ...received, ...(await lookUp(ctx, ids, call, { at, countsDrafts: true })) };
}

/** The time that a form plans its post for, as far as it has come; null for at once. */
const plannedFor = (fields: Map<string, string[]>): Date | null =>
  parseInstant(fields.get("schedule_date")?.at(-1) ?? "");

/** Posts with which those of one call are compared, before and after their time; each account has some. */
const MAX_COMPARED = 3_000;
const MAX_COMPARED_PER_ACCOUNT = 300;
const MIN_COMPARED_PER_ACCOUNT = 30;

const comparedPerAccount = (accounts: number): number =>
  Math.min(
    MAX_COMPARED_PER_ACCOUNT,
    Math.max(MIN_COMPARED_PER_ACCOUNT, Math.floor(MAX_COMPARED / accounts)),
  );

/** Everything that is to be known beforehand, in one round trip. */
async function lookUp(
  ctx: Ctx,
  ids: string[],
  call: NamedCall | null,
  { at, countsDrafts = false }: { at: Date | null; countsDrafts?: boolean },
): Promise<Known> {
  const now = ctx.now();
  const around = {
    at: at ?? now,
    windowMs: DUPLICATE_WINDOW_MS,
    mostEach: comparedPerAccount(ids.length),
  };
  const recent = ids.flatMap((accountId) => recentPosts(ctx.team, { accountId, ...around }));
  const answers: Query<StoredAnswer[]>[] = call ? [storedAnswer(ctx.team, call, now)] : [];
  const [facts, ...others] = await ctx.read(SCOPE, [
    accountFacts(ctx, ctx.team, ids, { countsDrafts }),
    ...recent,
    ...answers,
  ]);
  const [stored = null] = (others.splice(recent.length)[0] ?? []) as StoredAnswer[];
  return { facts: facts as AccountFacts[], recent: (others as RecentPost[][]).flat(), stored };
}

async function takeFile(
  ctx: Ctx,
  part: FilePart,
  storesFiles: boolean,
): Promise<ReceivedMedia | FieldError> {
  const { field } = part;
  const refuse = async (message: string): Promise<FieldError> => {
    for await (const _ of part.bytes);
    return { field, message: `${field}: ${message}` };
  };
  const kinds = MEDIA_FIELDS.get(field);
  if (!kinds) {
    return refuse(`is no file field. Use ${[...MEDIA_FIELDS.keys()].join(", ")}.`);
  }
  const stored = storesFiles
    ? await storeFile(ctx, ctx.actor.teamId, part.bytes, MAX_FILE_BYTES, part.name)
    : await measureFile(part.bytes, MAX_FILE_BYTES, part.name);
  if (stored === "too_large") throw tooLarge(`${field}: a file must be under 100 MB.`);
  if (stored === "empty") return { field, message: `${field}: the file is empty.` };
  if (stored === "unknown_type") {
    const message = `${field}: the file is no image, video or document that we know.`;
    return { field, message };
  }
  if (kinds.includes(stored.kind)) return { field, file: stored };
  if (storesFiles) await ctx.media.delete(stored.objectKey);
  const wanted = kinds.map(article).join(" or ");
  return { field, message: `${field}: this is ${article(stored.kind)}, not ${wanted}.` };
}

const article = (kind: MediaKind) => (kind === "image" ? "an image" : `a ${kind}`);

/** Removes the objects of a post that was not stored. */
export async function discardFiles(ctx: Ctx, media: readonly ReceivedMedia[]): Promise<void> {
  const keys = media.flatMap((item) => ("file" in item ? [item.file.objectKey] : []));
  if (keys.length > 0) await ctx.media.delete(keys);
}

/** What makes two calls the same: fields and files, whatever the order of the one among the other. */
export function fingerprintOf({ fields, media }: Pick<ReceivedPost, "fields" | "media">) {
  const sorted = [...fields].sort(([a], [b]) => (a < b ? -1 : 1));
  const files = media.map((item) => [item.field, "file" in item ? item.file.sha256 : item.url]);
  return sha256Hex(JSON.stringify([sorted, files]));
}

/** The one account that a form names; null while it names none. */
export function accountIn(fields: Map<string, string[]>): string[] | null {
  const id = fields.get("accountId")?.at(-1)?.trim();
  return id ? [id] : null;
}

/** @throws AppError 400 where no account was named, or several */
export function requireOneAccount(
  fields: Map<string, string[]>,
  errors: readonly FieldError[],
): string {
  const [id] = accountIn(fields) ?? [];
  const field = "accountId";
  if (!id) {
    const message = "accountId: is required: the id of a connected account";
    throw invalidFields([{ field, message }, ...errors]);
  }
  if (new Set(fields.get(field)).size > 1) {
    const message = "accountId: give one account; bulk takes many.";
    throw invalidFields([{ field, message }, ...errors]);
  }
  return id;
}
