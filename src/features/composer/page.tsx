import { type Context, Hono } from "hono";
import { AppError } from "../../core/errors.ts";
import { countVisitor } from "../../http/caller.ts";
import { publicOrigin } from "../../http/env.ts";
import { readNumericId } from "../../http/ids.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { doneNotice } from "../dashboard/parts.tsx";
import { isBlank } from "./content.ts";
import type { ComposeForm } from "./form.ts";
import { NOT_ASKED } from "./look-ups.ts";
import { drawAll, Previews, Refusals } from "./preview-parts.tsx";
import { changed } from "./reorder.ts";
import { PATH, type Scene, showComposer } from "./scene.tsx";
import { showSent } from "./sent.tsx";

export const composePage = new Hono<PageEnv>();

const SENDS = ["send", "send-accepted"];

const DONE_MESSAGES: Record<string, string> = {
  saved: "The draft is kept. Nothing was sent.",
  removed: "The draft is removed.",
};

const numberIn = (text: string | undefined): number | null =>
  text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;

composePage.get(PATH, signedIn("read:pages"), (c) => {
  const query = c.req.query();
  const draftId = numberIn(query.draft);
  const scene = {
    written: null,
    draftId,
    uploadId: numberIn(query.upload),
    notice: doneNotice(DONE_MESSAGES, query.done),
  };
  return showComposer(c, scene).catch((error) => {
    const isGone = error instanceof AppError && error.status === 404 && draftId !== null;
    if (!isGone) throw error;
    const notice = { text: DRAFT_IS_GONE, isRefusal: true };
    return showComposer(c, { ...scene, draftId: null, notice, status: 404 });
  });
});

const DRAFT_IS_GONE =
  "This draft was sent or removed. Look at the posts before you write it again.";

composePage.post(PATH, signedIn("compose"), async (c) => {
  const { ctx } = c.var;
  const { readComposeForm } = await import("./form.ts");
  const form = await readComposeForm(ctx, c.req.raw);
  const { action, draft, uploadId, errors } = form;
  const scene = { written: form, draftId: draft?.id ?? null, uploadId };
  if (SENDS.includes(action)) {
    return uploadId === null ? send(c, scene) : edit(c, uploadId, scene);
  }
  if (action === "save" || action === "copy") return keep(c, scene);
  if (action === "preview") return preview(c, scene);
  const fileErrors = errors.map((one) => ({ ...one, control: "photo", accountId: null }));
  if (action === "lookup") {
    const { askPlatforms } = await import("./look-ups.ts");
    const lookUps = await askPlatforms(ctx);
    return showComposer(c, { ...scene, errors: fileErrors, lookUps });
  }
  const content = changed(form.content, action);
  return showComposer(c, { ...scene, written: { ...form, content }, errors: fileErrors });
});

const originOf = (c: Context<PageEnv>): string => publicOrigin(c.var.deps, c.req.url);

type Posted = Scene & { written: ComposeForm };

/** A send counts like `POST /upload`. Returns the refusal's message. */
async function tooMany(c: Context<PageEnv>): Promise<string | null> {
  try {
    await countVisitor(c, "upload-create");
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code === "RATE_LIMIT") return error.message;
    throw error;
  }
}

async function send(c: Context<PageEnv>, scene: Posted): Promise<Response> {
  const { ctx } = c.var;
  const message = await tooMany(c);
  if (message) {
    const errors = [{ control: null, accountId: null, message }];
    return showComposer(c, { ...scene, errors, status: 429 });
  }
  const { sendForm } = await import("./send.ts");
  const sent = await sendForm(ctx, scene.written, originOf(c));
  if (sent.kind === "queued") return c.redirect(`${PATH}/sent?pool=${sent.poolId}`, 303);
  if (sent.kind === "refused") {
    const { errors, status, acceptedCount, isConflict } = sent;
    const isAsked = errors.some(({ control }) => control?.includes("."));
    const lookUps = isAsked ? await lookUpsOf(c) : NOT_ASKED;
    return showComposer(c, { ...scene, errors, status, acceptedCount, isConflict, lookUps });
  }
  const { results, isHeld, linkRefusal, restId } = sent;
  const ids = results.flatMap(({ uploadId }) => uploadId ?? []);
  if (ids.length === results.length && linkRefusal === null) {
    return c.redirect(`${PATH}/sent?posts=${ids.join(",")}`, 303);
  }
  return showSent(c, { ids, results, isHeld, linkRefusal, restId, pool: null });
}

const lookUpsOf = async (c: Context<PageEnv>) =>
  (await import("./look-ups.ts")).askPlatforms(c.var.ctx);

async function keep(c: Context<PageEnv>, scene: Posted): Promise<Response> {
  const { keepForm } = await import("./send.ts");
  try {
    const id = await keepForm(c.var.ctx, scene.written);
    return c.redirect(`${PATH}?draft=${id}&done=saved`, 303);
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500 || error.status === 401) throw error;
    const isGone = error.status === 404;
    const message = isGone
      ? "This draft was sent or removed by another person, or in another tab. Keep what you have here as a new draft."
      : error.message;
    return showComposer(c, {
      ...scene,
      errors: [{ control: null, accountId: null, message }],
      status: isGone ? 409 : error.status,
      isConflict: isGone || error.code === "DRAFT_CHANGED",
    });
  }
}

async function preview(c: Context<PageEnv>, scene: Posted): Promise<Response> {
  const { previewForm } = await import("./send.ts");
  const { posts, errors } = await previewForm(c.var.ctx, scene.written, originOf(c));
  const drawn = await drawAll(c, posts);
  return showComposer(c, {
    ...scene,
    errors,
    isPreview: true,
    previews: <Previews drawn={drawn} />,
  });
}

async function edit(c: Context<PageEnv>, id: number, scene: Posted): Promise<Response> {
  const { editForm } = await import("./send.ts");
  const edited = await editForm(c.var.ctx, id, scene.written);
  if ("done" in edited) return c.redirect(`/app/uploads/${id}?done=${edited.done}`, 303);
  return showComposer(c, { ...scene, ...edited });
}

composePage.post(`${PATH}/preview`, signedIn("compose"), async (c) => {
  const { ctx } = c.var;
  const [{ readComposeForm }, { previewForm }] = await Promise.all([
    import("./form.ts"),
    import("./send.ts"),
  ]);
  const form = await readComposeForm(ctx, c.req.raw);
  const { posts, errors } = await previewForm(ctx, form, originOf(c));
  const drawn = await drawAll(c, posts);
  return c.html(
    <>
      {!isBlank(form.content) && <Refusals errors={errors} />}
      <Previews drawn={drawn} />
    </>,
  );
});

composePage.post(`${PATH}/drafts/:id/delete`, signedIn("destructive"), async (c) => {
  const { removeDraft } = await import("../drafts/service.ts");
  await removeDraft(c.var.ctx, readNumericId(c.req.param("id"), "Draft"));
  return c.redirect(`${PATH}?done=removed`, 303);
});

const MAX_SHOWN = 100;

composePage.get(`${PATH}/sent`, signedIn("read:pages"), (c) => {
  const { posts = "", pool } = c.req.query();
  const ids = posts
    .split(",")
    .slice(0, MAX_SHOWN)
    .flatMap((id) => numberIn(id) ?? []);
  return showSent(c, {
    ids,
    results: [],
    isHeld: false,
    linkRefusal: null,
    restId: null,
    pool: numberIn(pool),
  });
});
