import * as z from "zod";
import { type FieldError, invalidFields, toFieldErrors } from "../../core/errors.ts";
import { MAX_KEY_CHARACTERS, type NamedCall } from "../../core/idempotency-key.ts";
import { PLATFORMS, type Platform } from "../../core/platforms.ts";
import { UPLOAD_STATUSES } from "../../core/upload-status.ts";
import { postIdArgument } from "../../mcp/arguments.ts";
import { inToolTerms } from "../../mcp/terms.ts";
import { type Call, READS, tool } from "../../mcp/tool.ts";
import { agentSettings, inArguments } from "../../platforms/kit/agent-settings.ts";
import { connectorOf, connectors } from "../../platforms/registry.ts";
import { postWarnings, toWarning } from "../content/as-published.ts";
import {
  MAX_ACCOUNTS,
  MAX_FIELD_CHARACTERS,
  MAX_THREAD,
  MAX_URL_CHARACTERS,
} from "../content/bounds.ts";
import { altText, descriptionText, postFieldsSchema, titleText } from "../content/schema.ts";
import type { Looked } from "../idempotency/once.ts";
import { HELD_MESSAGE } from "../posts/rules.ts";
import { readOwnUrl } from "../presign/address.ts";
import { type Accepted, createPosts, tally, validatePosts } from "./bulk.ts";
import { editUpload } from "./edit.ts";
import { writtenIn } from "./edited-texts.ts";
import { type Findings, lookUp } from "./lookup.ts";
import { mediaAt, namedFile } from "./media.ts";
import { EMPTY_POST, type NewPost } from "./new-post.ts";
import { uploadEditSchema } from "./schema.ts";
import { sameSettingsSchema, settingsSchema, toRawSettings } from "./tool-settings.ts";

/** Presigned files do not count. Source: spec, "Agent endpoint". */
const MAX_DOWNLOADED = 10;
const MAX_MEDIA = Math.max(
  ...connectors().map(({ capabilities }) => capabilities.mediaSupport.maxCount),
);

const threadItem = z.union([
  z.string(),
  z.strictObject({
    text: z.string().optional(),
    media: z.array(z.number().int().min(0)).max(MAX_MEDIA).optional(),
  }),
]);

const input = z.strictObject({
  accountIds: z.array(z.string().max(100)).min(1).max(MAX_ACCOUNTS).describe("From list_accounts."),
  text: descriptionText.describe(
    "The post's text, caption or description. May be empty with media.",
  ),
  title: titleText.optional().describe("Needed for youtube; used by pinterest and facebook too."),
  mediaIds: z
    .array(z.string().max(100))
    .max(MAX_MEDIA)
    .optional()
    .describe(
      "Stored files of the team, by the mediaId that its page and GET /api/v1/media show. They come before mediaUrls.",
    ),
  mediaUrls: z
    .array(z.string().max(MAX_URL_CHARACTERS))
    .max(MAX_MEDIA)
    .optional()
    .describe(
      `Up to ${MAX_DOWNLOADED} public http(s) URLs, each under 200 MB, and addresses of presigned uploads of any size. Several make a carousel.`,
    ),
  altTexts: z
    .array(altText)
    .max(MAX_MEDIA)
    .optional()
    .describe(
      "What each file of mediaIds and mediaUrls shows, in words for people who cannot see it: one text per file, in order; an empty one leaves a file out. Platforms without alternative texts leave them out and warn.",
    ),
  scheduleDate: z
    .string()
    .optional()
    .describe("ISO 8601 with an offset, in the future. Without it the post goes out now."),
  status: z
    .enum(["draft", "pending_approval"])
    .optional()
    .describe("Keeps the post back, as a draft or for approval."),
  thread: z
    .union([z.literal("auto"), z.array(threadItem).min(1).max(MAX_THREAD)])
    .optional()
    .describe(
      "Posts that follow as a thread, where the platform has threads: texts, or objects of text, media or both, where media are numbers of the files from 0; the other media go with the post itself. `auto` splits a long text.",
    ),
  threadMarks: z
    .boolean()
    .optional()
    .describe("Ends each post of the thread with its number, such as 1/5."),
  firstComment: z.string().max(MAX_FIELD_CHARACTERS).optional().describe("The first comment."),
  settings: settingsSchema
    .optional()
    .describe(
      "Settings by platform, as get_platform_capabilities names them. Needed: tiktok.privacyLevel, pinterest.boardId; ask your user. GET /api/v1/pinterest/boards lists the boards of an account.",
    ),
  idempotencyKey: z
    .string()
    .min(1)
    .max(MAX_KEY_CHARACTERS)
    .optional()
    .describe("Makes it safe to repeat the call: in 24 hours, the same key posts once."),
});

type Args = z.output<typeof input>;

/** Presigned files of this instance need no download. */
function refusedUrls(origin: string, urls: readonly string[]): FieldError[] {
  const isPresigned = (url: string) => {
    const own = readOwnUrl(origin, url);
    return own !== null && own !== "changed";
  };
  const downloaded = urls.filter((url) => !isPresigned(url));
  if (downloaded.length <= MAX_DOWNLOADED) return [];
  const message = `mediaUrls has more than ${MAX_DOWNLOADED} addresses that are not presigned uploads of this instance. Presign the others, or leave some out.`;
  return [{ field: "mediaUrls", message }];
}

function toNewPost({ origin }: Call, args: Args, call: NamedCall | null): NewPost {
  const { accountIds, text, title = null, altTexts = [], settings = {} } = args;
  const { mediaIds = [], mediaUrls = [], thread, threadMarks, firstComment } = args;
  const when = postFieldsSchema
    .pick({ schedule_date: true })
    .safeParse({ schedule_date: args.scheduleDate });
  const caption = text.trim() === "" ? {} : { caption: text };
  const overrides = connectors().map((connector) => [
    connector.platform,
    { ...caption, settings: toRawSettings(connector, settings) },
  ]);
  return {
    ...EMPTY_POST,
    call,
    origin,
    accountIds: [...new Set(accountIds)],
    title,
    settings: {
      ...(thread === undefined
        ? {}
        : { thread: thread === "auto" ? thread : JSON.stringify(thread) }),
      ...(threadMarks === undefined ? {} : { thread_marks: String(threadMarks) }),
      ...(firstComment === undefined ? {} : { first_comment: firstComment }),
      ...(altTexts.length > 0 ? { alt_text: altTexts } : {}),
    },
    media: [
      ...mediaIds.map((id, i) => ({ ...namedFile(id, "mediaId"), field: `mediaIds[${i}]` })),
      ...mediaUrls.map((url, i) => mediaAt(url, `mediaUrls[${i}]`, mediaUrls.length === 1)),
    ],
    overrides: Object.fromEntries(overrides),
    scheduledFor: when.data?.schedule_date ?? null,
    status: args.status ?? null,
    refused: {
      targets: [],
      fields: [
        ...(when.success ? [] : toFieldErrors(when.error)),
        ...refusedUrls(origin, mediaUrls),
      ],
    },
  };
}

interface Refused {
  accountId: string;
  platform: Platform;
  error: string;
}

function lacking({ settings = {} }: Args, { findings }: Looked<Findings>): Refused[] {
  const chosen: Record<string, Record<string, unknown> | undefined> = settings;
  return findings.facts.flatMap(({ account: { id, platform } }) => {
    const missing = agentSettings(connectorOf(platform)).find(
      ({ name, info }) => info.mustBeChosen && chosen[platform]?.[name] === undefined,
    );
    if (!missing) return [];
    const values = missing.info.values?.join(", ") ?? "";
    const error = `settings.${platform}.${missing.name} is needed, one of ${values}.`;
    return [{ accountId: id, platform, error }];
  });
}

async function prepare(call: Call, args: Args) {
  const { idempotencyKey: key } = args;
  const named = key === undefined ? null : { route: "MCP create_post", key };
  const whole = toNewPost(call, args, named);
  const looked = await lookUp(call.ctx, whole);
  const refused = lacking(args, looked);
  const without = new Set(refused.map(({ accountId }) => accountId));
  const accountIds = whole.accountIds.filter((id) => !without.has(id));
  return { post: { ...whole, accountIds }, looked, refused };
}

const platform = z.enum(PLATFORMS);
const held = z.boolean().describe("A person has to approve the posts before they go out.");

const warnings = z
  .array(z.string())
  .describe(
    "Texts that the platform will not show, and what holds until the platform has audited this instance's app. Tell your user of them.",
  );

const created = z.object({
  accountId: z.string(),
  platform: platform.nullable(),
  success: z.boolean(),
  postId: z.number().int().nullable().describe("For get_post_status; null when it was refused."),
  scheduledFor: z.string().nullable(),
  error: z.string().nullable().describe("The reason why this account does not have the post."),
  warnings,
});

export const createPostTool = tool({
  name: "create_post",
  title: "Publish or schedule a post",
  scope: "posts:write",
  description:
    "Publishes one post to several accounts, now or at scheduleDate, or keeps it as a draft or for approval. Every account has its own result in posts; a refused account does not stop the others. Publishing goes on after this call has answered: follow it with get_post_status. Give an idempotencyKey, so that a repeated call posts once. This is public and mostly cannot be undone: show the text to your user first.",
  input,
  output: z.object({ message: z.string(), held, posts: z.array(created) }),
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  isFailure: ({ posts }) => posts.every(({ success }) => !success),
  run: async (call, args) => {
    const { post, looked, refused } = await prepare(call, args);
    const { results, isHeld } =
      post.accountIds.length > 0
        ? (await createPosts(call.ctx, post, looked)).result
        : { results: [], isHeld: false };
    const platformOf = platformsOf(looked);
    const requestedIds = [...new Set(args.accountIds)];
    const posts = [
      ...results.map((one) => {
        if (one.success) {
          return { ...pick(one, args), postId: one.uploadId, error: null };
        }
        const platform = platformOf(one.accountId);
        return { ...none(one.accountId), platform, error: say(platform, one.error) };
      }),
      ...refused.map((one) => ({ ...none(one.accountId), ...one })),
    ].sort((a, b) => requestedIds.indexOf(a.accountId) - requestedIds.indexOf(b.accountId));
    const { message } = tally(posts, isHeld ? inToolTerms(HELD_MESSAGE) : null);
    return { message, held: isHeld, posts };
  },
});

const platformsOf = ({ findings }: Looked<Findings>) => {
  const platforms = new Map(
    findings.facts.map(({ account: { id, platform } }) => [id, platform] as const),
  );
  return (accountId: string): Platform | null => platforms.get(accountId) ?? null;
};

const say = (platform: Platform | null, error: string): string =>
  platform ? inArguments(connectorOf(platform), error) : inToolTerms(error);

const pick = (one: Accepted, args: Pick<Args, "title" | "text">) => {
  const { accountId, platform, scheduledFor, warnings = [] } = one;
  const inTerms = warnings.map((warning) => say(platform, warning));
  const all = [...inTerms, ...titleWarnings(platform, args)];
  return { accountId, platform, scheduledFor, success: true, warnings: all };
};

function titleWarnings(platform: Platform, { title = "", text }: Pick<Args, "title" | "text">) {
  const hasOneText = connectorOf(platform).capabilities.textField === "title";
  const isLeftOut = hasOneText && title.trim() !== "" && text.trim() !== "" && title !== text;
  return isLeftOut ? [toWarning(platform, "The title is not published")] : [];
}

const none = (accountId: string) => ({
  accountId,
  success: false,
  postId: null,
  scheduledFor: null,
  warnings: [],
});

const problem = z.object({
  accountId: z
    .string()
    .nullable()
    .describe("The account that the error is about; null for the call as a whole."),
  platform: platform.nullable(),
  error: z.string(),
});

export const validatePostTool = tool({
  name: "validate_post",
  title: "Check a post without publishing it",
  scope: "posts:write",
  description:
    "Takes what create_post takes and makes the same checks: accounts, plan, daily caps, lengths, hashtags, settings and media. Publishes and stores nothing. The content of the files themselves is checked when a post is published.",
  input: input.extend({
    settings: sameSettingsSchema.optional().describe("The same settings as in create_post."),
  }),
  output: z.object({
    valid: z.boolean(),
    held,
    errors: z.array(problem),
    targets: z.array(
      z.object({
        accountId: z.string(),
        platform,
        scheduledFor: z.string().nullable(),
        warnings,
      }),
    ),
  }),
  annotations: READS,
  run: async (call, args) => {
    const { post, looked, refused } = await prepare(call, { ...args, idempotencyKey: undefined });
    const judged =
      post.accountIds.length > 0
        ? await validatePosts(call.ctx, post, looked)
        : { errors: [], targets: [], isHeld: false };
    const errors = [
      ...judged.errors.map(({ accountId, platform, error }) => ({
        accountId,
        platform,
        error: say(platform, error),
      })),
      ...refused,
    ];
    return {
      valid: errors.length === 0,
      held: judged.isHeld,
      errors,
      targets: judged.targets.map((target) => {
        const { accountId, platform, scheduledFor, warnings } = pick(target, args);
        return { accountId, platform, scheduledFor, warnings };
      }),
    };
  },
});

const editedText = z.string().nullable().optional();

export const updatePostTool = tool({
  name: "update_post",
  title: "Edit a post",
  scope: "posts:write",
  description:
    "Edits a post that is not out yet; what is left out stays. Of a published post, it changes the text at the platform, where editable of get_platform_capabilities names it: that is public, so show the text to your user first. After a part of it failed, thread or firstComment changes the texts of parts that are not out. Otherwise the refusal says what your user does by hand. It is safe to repeat.",
  input: z.strictObject({
    postId: postIdArgument.describe("From create_post."),
    title: editedText,
    description: editedText.describe("The text, caption or description."),
    scheduleDate: z.string().optional().describe("ISO 8601 with an offset, in the future."),
    thread: z
      .union([z.string(), z.array(threadItem).max(MAX_THREAD)])
      .nullable()
      .optional()
      .describe(
        "The posts that follow: texts, or texts with the numbers of the post's files from 0. null takes them off.",
      ),
    threadMarks: z.boolean().optional().describe("Numbers the posts of the thread sent along."),
    firstComment: editedText.describe("null takes it off."),
  }),
  output: z.object({
    postId: z.number().int(),
    status: z.enum(UPLOAD_STATUSES),
    url: z.string().nullable().describe("The address of a published post."),
    warnings: z.array(z.string()),
  }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: true,
  },
  run: async ({ ctx }, { postId, scheduleDate, threadMarks, firstComment, ...texts }) => {
    const edit = uploadEditSchema.safeParse({
      ...texts,
      scheduledFor: scheduleDate,
      thread_marks: threadMarks,
      first_comment: firstComment,
    });
    if (!edit.success) throw invalidFields(toFieldErrors(edit.error));
    const upload = await editUpload(ctx, postId, edit.data);
    const warnings = await postWarnings(ctx.config, upload, writtenIn(edit.data));
    const { status, metadata } = upload;
    return { postId, status, url: metadata?.shareUrl ?? null, warnings };
  },
});
