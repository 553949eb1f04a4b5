import { AppError } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { named } from "../../db/named.ts";
import type { Ctx } from "../../deps.ts";
import { clockOf } from "../../pages/times.tsx";
import { accountsOfTeam } from "../accounts/repo.ts";
import { createPosts, refusalsOfError } from "../compose/bulk.ts";
import { editUpload, previewPosts } from "../compose/changes.ts";
import { deleteSentDraft, draftById } from "../drafts/repo.ts";
import { draftContentSchema } from "../drafts/schema.ts";
import { createDraft, draftChanged, saveDraft } from "../drafts/service.ts";
import type { DraftContent } from "../drafts/table.ts";
import { type Call, look } from "../idempotency/once.ts";
import { filesByHash } from "../media/repo.ts";
import { addItems } from "../pools/items.ts";
import { createReviewLink } from "../review/service.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { contentOf, toEdit } from "./edited-post.ts";
import type { ComposeForm } from "./form.ts";
import { openQuestions } from "./questions.ts";
import { editableUpload } from "./repo.ts";
import { errorsOf, toShown } from "./shown-errors.ts";
import { itemSettings, threadOf, toMedia, toNewPost } from "./to-post.ts";
import { type ShownAccount, type ShownError, shownAccount } from "./view.ts";

const nameOf = ({ draft, key }: ComposeForm): NamedCall | null => {
  const name = draft ? `draft-${draft.id}-${draft.version}` : key;
  return name === "" ? null : { route: "POST /app/compose", key: name };
};

const callOf = ({ actor }: Ctx, form: ComposeForm): Call | null => {
  const name = nameOf(form);
  const last = form.draft && deleteSentDraft(actor.teamId, form.draft);
  return name && { ...name, last };
};

interface Facts {
  zone: string | null;
  chosen: ShownAccount[];
  accounts: ShownAccount[];
  files: Parameters<typeof toMedia>[1];
  /** True when the form was sent before, with its answer stored. */
  isRepeated: boolean;
}

/** @throws AppError DRAFT_CHANGED for a draft that another person saved or sent */
async function readFacts(ctx: Ctx, form: ComposeForm): Promise<Facts> {
  const { content, draft } = form;
  const { team } = ctx;
  const hashes = content.media.map(({ mediaId }) => mediaId);
  const { queries, read } = named({
    zones: zoneOfTeam({ team }),
    accounts: accountsOfTeam(team, {}),
    files: hashes.length > 0 ? filesByHash(team, hashes) : null,
    draft: draft ? draftById({ team, id: draft.id }) : null,
  });
  const { findings, stored } = await look(ctx, "posts:write", nameOf(form), queries);
  const { zones, files, draft: drafts, ...rows } = read(findings);
  const accounts = rows.accounts.map((account) => shownAccount(account, ctx.config));
  const [current] = drafts ?? [];
  if (draft && !stored && current?.version !== draft.version) {
    throw current ? draftChanged(current) : draftGone();
  }
  return {
    zone: clockOf(zones[0] ?? null).zone,
    accounts,
    chosen: accounts.filter(({ id }) => content.accountIds.includes(id)),
    files: files ?? [],
    isRepeated: stored !== null,
  };
}

const draftGone = (): AppError =>
  new AppError(
    "DRAFT_CHANGED",
    "This draft was sent or removed by another person, or in another tab. Nothing was sent now. Keep what you have here as a new draft, or look at the posts first.",
  );

export interface SentResult {
  accountId: string;
  uploadId: number | null;
  error: string | null;
}

export type Sent =
  | {
      kind: "refused";
      errors: ShownError[];
      status: number;
      acceptedCount: number;
      isConflict: boolean;
    }
  | {
      kind: "sent";
      results: SentResult[];
      isHeld: boolean;
      linkRefusal: string | null;
      /** The draft that has the accounts that were refused. */
      restId: number | null;
    }
  | { kind: "queued"; poolId: number };

const WHEN_OPEN: ShownError = {
  control: "when",
  accountId: null,
  message: "Choose what happens with the post.",
};

const POOL_GONE: ShownError = {
  control: "when",
  accountId: null,
  message: "The pool was removed. Choose another one, or something else.",
};

const SENT_BEFORE =
  "This page was sent before, with something else in it, and was not sent again. To send what stands here too, save it as a new draft and send that.";

const isNotFound = (error: unknown): boolean => error instanceof AppError && error.status === 404;

const isShownHere = (error: unknown): error is AppError =>
  error instanceof AppError && error.status < 500 && ![401, 404].includes(error.status);

export async function sendForm(ctx: Ctx, form: ComposeForm, origin: string): Promise<Sent> {
  const refuse = (
    errors: ShownError[],
    { status = 400, acceptedCount = 0, isConflict = false } = {},
  ): Sent => ({ kind: "refused", errors, status, acceptedCount, isConflict });
  const { content } = form;
  let facts: Facts;
  try {
    facts = await readFacts(ctx, form);
  } catch (error) {
    if (!isShownHere(error)) throw error;
    const errors = [{ control: null, accountId: null, message: error.message }];
    return refuse(errors, { status: error.status, isConflict: error.code === "DRAFT_CHANGED" });
  }
  const { chosen, zone } = facts;
  const open = facts.isRepeated ? [] : openQuestions(content, chosen, { actor: ctx.actor, zone });
  const errors = [
    ...form.errors.map(ofFile),
    ...(form.isWhenChosen ? [] : [WHEN_OPEN]),
    ...open,
    ...unlikeSettings(content, chosen),
  ];
  if (errors.length > 0) return refuse(errors);
  try {
    return content.when.kind === "pool"
      ? await queueItem(ctx, form, facts, origin)
      : await publish(ctx, form, facts, origin);
  } catch (error) {
    if (content.when.kind === "pool" && isNotFound(error)) return refuse([POOL_GONE]);
    if (!isShownHere(error)) throw error;
    if (error.code === "IDEMPOTENCY_MISMATCH") {
      const errors = [{ control: null, accountId: null, message: SENT_BEFORE }];
      return refuse(errors, { status: error.status, isConflict: true });
    }
    const refusals = refusalsOfError(error);
    const refused = new Set(refusals.flatMap(({ accountId }) => accountId ?? []));
    const acceptedCount = refused.size === 0 ? 0 : chosen.length - refused.size;
    const shown = toShown(refusals, content, facts.accounts);
    return refuse(shown, { status: error.status, acceptedCount });
  }
}

const unlikeSettings = (content: DraftContent, chosen: readonly ShownAccount[]): ShownError[] =>
  content.when.kind === "pool"
    ? itemSettings(content, chosen).unlike.map((control) => ({
        control,
        accountId: null,
        message:
          "A pool keeps one answer for all its accounts. Give the same one everywhere, or leave this empty.",
      }))
    : [];

const ofFile = ({ field, message }: { field: string; message: string }): ShownError => ({
  control: field === "thumbnail" || field === "video" ? field : "photo",
  accountId: null,
  message: message.charAt(0).toUpperCase() + message.slice(1),
});

async function publish(ctx: Ctx, form: ComposeForm, facts: Facts, origin: string): Promise<Sent> {
  const { content, action, draft } = form;
  const { chosen: accounts, files, zone } = facts;
  const post = toNewPost(content, { accounts, files, zone, origin, call: callOf(ctx, form) });
  const isWhole = action !== "send-accepted";
  const { result, isReplayed } = await createPosts(ctx, post, undefined, { isWhole });
  const results = result.results.map((one) => ({
    accountId: one.accountId,
    uploadId: one.success ? one.uploadId : null,
    error: one.success ? null : one.error,
  }));
  const ids = results.flatMap(({ uploadId }) => uploadId ?? []);
  let linkRefusal: string | null = null;
  if (content.when.kind === "review" && ids.length > 0 && !isReplayed) {
    linkRefusal = await refusalOf(() => createReviewLink(ctx, ids));
  }
  const rest = results.filter(({ error }) => error !== null).map(({ accountId }) => accountId);
  let restId: number | null = null;
  if (ids.length === 0) restId = draft?.id ?? null;
  else if (!isReplayed) restId = await draftOfRest(ctx, content, rest);
  return { kind: "sent", results, isHeld: result.isHeld, linkRefusal, restId };
}

async function refusalOf(action: () => Promise<unknown>): Promise<string | null> {
  try {
    await action();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** Keeps the accounts that refused the post, for the sent draft is gone. */
async function draftOfRest(
  ctx: Ctx,
  content: DraftContent,
  rest: readonly string[],
): Promise<number | null> {
  if (rest.length === 0) return null;
  try {
    return (await createDraft(ctx, { ...content, accountIds: [...rest] })).id;
  } catch (error) {
    // The posts are out: a draft that cannot be kept must not look like a refused call.
    if (error instanceof AppError) return null;
    throw error;
  }
}

async function queueItem(ctx: Ctx, form: ComposeForm, facts: Facts, origin: string): Promise<Sent> {
  const { content } = form;
  const { alt_text: altText, ...settings } = itemSettings(content, facts.chosen).settings;
  const poolId = content.when.poolId ?? 0;
  const { title, description } = content;
  const item = {
    title: title.trim() === "" ? description : title,
    description: title.trim() === "" ? null : description,
    metadata: JSON.stringify(settings),
    altText,
    media: toMedia({ ...content, thumbnailMediaId: null }, facts.files),
    repeat: null,
    variants: null,
  };
  const adding = { poolId, call: callOf(ctx, form), items: [item], prefixOf: () => "", origin };
  await addItems(ctx, adding);
  return { kind: "queued", poolId };
}

/** @throws AppError DRAFT_CHANGED, QUEUE_FULL, 400 for a draft that is too large */
export async function keepForm(ctx: Ctx, { content, draft, action }: ComposeForm): Promise<number> {
  const read = draftContentSchema.safeParse({ ...content, thread: threadOf(content) });
  if (!read.success) {
    throw new AppError(null, read.error.issues[0]?.message ?? "The draft cannot be kept.");
  }
  const isOwn = draft !== null && action !== "copy";
  const saved = isOwn ? await saveDraft(ctx, draft, read.data) : await createDraft(ctx, read.data);
  return saved.id;
}

export async function previewForm(ctx: Ctx, { content }: ComposeForm, origin: string) {
  const { team } = ctx;
  const hashes = content.media.map(({ mediaId }) => mediaId);
  const { queries, read } = named({
    zones: zoneOfTeam({ team }),
    accounts: accountsOfTeam(team, {}),
    files: hashes.length > 0 ? filesByHash(team, hashes) : null,
  });
  const { zones, accounts: rows, files } = read(await ctx.read("posts:write", queries));
  const all = rows.map((account) => shownAccount(account, ctx.config));
  const accounts = all.filter(({ id }) => content.accountIds.includes(id));
  const zone = clockOf(zones[0] ?? null).zone;
  const post = toNewPost(content, { accounts, files: files ?? [], zone, origin, call: null });
  const open = openQuestions(content, accounts, { actor: ctx.actor, zone });
  if (accounts.length === 0) return { posts: [], errors: open };
  const { posts, refusals } = await previewPosts(ctx, post);
  return { posts, errors: [...open, ...toShown(refusals, content, all)] };
}

const POST_GONE: ShownError = {
  control: null,
  accountId: null,
  message:
    "The post was removed, so there is nothing to change. What you wrote stands here as a new post: send it, or save it as a draft.",
};

export async function editForm(ctx: Ctx, id: number, { content }: ComposeForm) {
  const [zones, [upload]] = await ctx.read("posts:write", [
    zoneOfTeam({ team: ctx.team }),
    editableUpload({ team: ctx.team, id }),
  ]);
  if (!upload) return { errors: [POST_GONE], status: 409 };
  const { zone } = clockOf(zones[0] ?? null);
  const before = contentOf(upload, zone);
  const open = openQuestions({ ...content, accountIds: [] }, [], { actor: ctx.actor, zone });
  const errors = open.filter(({ control }) => control === "date" || control === "time");
  if (errors.length > 0 && content.when.at !== "") return { errors, status: 400 };
  try {
    const { status } = await editUpload(ctx, id, toEdit(content, before, zone));
    return { done: status === "pending_approval" ? "held" : "saved" };
  } catch (error) {
    if (isNotFound(error)) return { errors: [POST_GONE], status: 409 };
    if (!isShownHere(error)) throw error;
    const fields = errorsOf(error);
    const refusals = [{ accountId: null, platform: null, error: error.message, fields }];
    return { errors: toShown(refusals, content, []), status: error.status };
  }
}
