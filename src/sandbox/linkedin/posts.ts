import * as z from "zod";
import { now } from "../../core/clock.ts";
import { MINUTE } from "../../core/time.ts";
import { randomDigits } from "../kit/ids.ts";
import { type Call, deliver, idOf, type PostByHand } from "../kit/simulator.ts";
import { steer } from "../kit/steered.ts";
import { integer, json, key, type RowOf, Table, text } from "../kit/table.ts";
import { authenticate, listOf, type Member, requireActor, requireScope } from "./accounts.ts";
import { type AssetRow, requireAvailable } from "./assets.ts";
import { accessDenied, decode, encodedParam, invalidValue, readInput, refusal } from "./call.ts";
import { type Mention, readCommentary } from "./little-text.ts";
import { REFUSALS } from "./steering.ts";

/** Characters, backslashes included. */
const MAX_TEXT = 3_000;
const MAX_TITLE = 400;
const MAX_ALT_TEXT = 4_086;
/** Not documented by LinkedIn. */
const DUPLICATE_MS = 10 * MINUTE;

const altText = z.string().max(MAX_ALT_TEXT).optional();

const content = z.union([
  z.strictObject({
    media: z.strictObject({ id: z.string(), title: z.string().max(MAX_TITLE).optional(), altText }),
  }),
  z.strictObject({
    multiImage: z.strictObject({
      images: z
        .array(z.strictObject({ id: z.string(), altText }))
        .min(2)
        .max(20),
      altText,
    }),
  }),
]);

const input = z.strictObject({
  author: z.string().regex(/^urn:li:(?:person|organization):[\w-]+$/),
  commentary: z.string(),
  visibility: z.enum(["PUBLIC", "CONNECTIONS", "LOGGED_IN"]),
  distribution: z.strictObject({
    feedDistribution: z.literal("MAIN_FEED"),
    targetEntities: z.array(z.never()),
    thirdPartyDistributionChannels: z.array(z.never()),
  }),
  lifecycleState: z.literal("PUBLISHED"),
  isReshareDisabledByAuthor: z.boolean().optional(),
  content: content.optional(),
});

type NewPost = z.output<typeof input>;

function requireText({ commentary, content: media }: NewPost) {
  const shown = readCommentary(commentary);
  if ([...commentary].length > MAX_TEXT) {
    const message = `/commentary :: text length is more than ${MAX_TEXT} characters`;
    throw refusal(400, "FIELD_LENGTH_TOO_LONG", message);
  }
  if (!media && shown.text.trim() === "") {
    throw refusal(400, "INVALID_VALUE_BLANK_FIELD", "/commentary :: must not be blank");
  }
  return shown;
}

const withMentions = (mentions: Mention[]): { mentions?: Mention[] } =>
  mentions.length > 0 ? { mentions } : {};

function requireFiles(call: Call, { author, content: media }: NewPost) {
  if (!media) return [];
  const items = "media" in media ? [media.media] : media.multiImage.images;
  return items.map(({ id, altText: alt = "" }) => {
    const asset = requireAvailable(call, author, id);
    requireFit(asset, media);
    return { id: asset.media_id, alt };
  });
}

function requireFit({ kind, urn }: AssetRow, media: NonNullable<NewPost["content"]>): void {
  if ("multiImage" in media && kind !== "image") {
    throw refusal(400, "INVALID_URN_TYPE", `${urn} is no image`);
  }
  if ("media" in media && kind === "document" && !media.media.title?.trim()) {
    const message = "/content/media/title :: field is required for a document";
    throw refusal(400, "MISSING_FIELD", message);
  }
}

export const posts = new Table(
  "linkedin_posts",
  { urn: key(), team_id: integer(), author: text(), body: json<NewPost>(), created_at: integer() },
  { indexes: { by_author: "author, team_id, created_at" } },
);

export async function createPost(call: Call): Promise<Response> {
  const { member, token } = await authenticate(call);
  const post = await readInput(call, input);
  const author = requireActor(member, post.author);
  const isOwn = post.author === member.urn;
  requireScope(call, member, isOwn ? "w_member_social" : "w_organization_social");
  if (!isOwn && post.visibility !== "PUBLIC") {
    throw invalidValue("/visibility :: an organization's post must be PUBLIC");
  }
  const { text, mentions } = requireText(post);
  const media = requireFiles(call, post);

  // No await from here on: two calls could make the same post.
  const { store, origin } = call.env;
  const reply = steer(call.env, REFUSALS, { key: `linkedin/${post.author}`, text, token });
  const own = { author: post.author, team_id: origin.teamId, body: post };
  const twin = posts.find(store, own, "AND created_at > ?", now().getTime() - DUPLICATE_MS);
  const isVideo = post.content && "media" in post.content && /:video:/.test(post.content.media.id);
  const urn = twin?.urn ?? `urn:li:${isVideo ? "ugcPost" : "share"}:7${randomDigits(18)}`;
  store.savePost(origin, {
    platform: "linkedin",
    key: urn,
    author,
    text,
    fields: { ...post, ...withMentions(mentions) },
    media,
    url: `https://www.linkedin.com/feed/update/${urn}/`,
  });
  if (twin) {
    const message = `Content is a duplicate of ${urn}`;
    throw refusal(422, "UNPROCESSABLE_ENTITY", message);
  }
  posts.insert(store, { ...own, urn, created_at: now().getTime() });
  const headers = { "x-restli-id": urn };
  return deliver(reply, new Response(null, { status: 201, headers }));
}

const SIGNS = /[\\|{}@[\]()<>*_~]/g;

export const postByHand: PostByHand = ({ store, origin }, like, text) => {
  const row = posts.find(store, { urn: like.key, team_id: origin.teamId });
  if (!row) return null;
  const urn = `urn:li:share:7${randomDigits(18)}`;
  const { content: _, ...body } = row.body;
  const commentary = text.replace(SIGNS, "\\$&");
  posts.insert(store, {
    ...row,
    urn,
    body: { ...body, commentary },
    created_at: now().getTime(),
  });
  return { key: urn, url: `https://www.linkedin.com/feed/update/${urn}/` };
};

const findPost = ({ env: { store, origin } }: Call, urn: string) =>
  posts.find(store, { urn, team_id: origin.teamId });

const toObject = ({ urn, body, created_at }: RowOf<typeof posts>) => ({
  ...body,
  id: urn,
  createdAt: created_at,
  publishedAt: created_at,
  lastModifiedAt: created_at,
});

/** Members' posts need r_member_social, which new apps do not get. Source: LinkedIn, "Posts API", permissions. */
function requireReading(call: Call, member: Member, author: string): void {
  if (author === member.urn) {
    throw accessDenied("Not enough permissions to access: posts.GET.NO_VERSION");
  }
  requireScope(call, member, "r_organization_social");
}

export async function readPost(call: Call): Promise<Response> {
  const { member } = await authenticate(call);
  const urn = decode(idOf(call));
  const post = findPost(call, urn);
  if (!post) throw refusal(404, "NOT_FOUND", `Could not find post ${urn}`);
  requireActor(member, post.author);
  requireReading(call, member, post.author);
  return Response.json(toObject(post));
}

/** Deleting a deleted post succeeds, too. Source: LinkedIn, "Posts API", "Delete Posts". */
export async function deletePost(call: Call): Promise<Response> {
  const { member } = await authenticate(call);
  if (call.req.header("x-restli-method") !== "DELETE") {
    throw invalidValue("The header X-RestLi-Method must be DELETE");
  }
  const post = findPost(call, decode(idOf(call)));
  if (post) {
    requireActor(member, post.author);
    const isOwn = post.author === member.urn;
    requireScope(call, member, isOwn ? "w_member_social" : "w_organization_social");
    posts.delete(call.env.store, { urn: post.urn, team_id: post.team_id });
    call.env.store.deletePost("linkedin", post.urn);
  }
  return new Response(null, { status: 204 });
}

const patch = z.strictObject({
  patch: z.strictObject({ $set: z.strictObject({ commentary: z.string() }) }),
});

/** Source: LinkedIn, "Posts API", "Update Posts". */
export async function updatePost(call: Call): Promise<Response> {
  const { member, token } = await authenticate(call);
  if (call.req.header("x-restli-method") !== "PARTIAL_UPDATE") {
    throw invalidValue("The header X-RestLi-Method must be PARTIAL_UPDATE");
  }
  const changed = (await readInput(call, patch)).patch.$set;
  const urn = decode(idOf(call));
  const post = findPost(call, urn);
  if (!post) throw refusal(404, "NOT_FOUND", `Could not find post ${urn}`);
  requireActor(member, post.author);
  const isOwn = post.author === member.urn;
  requireScope(call, member, isOwn ? "w_member_social" : "w_organization_social");
  const body = { ...post.body, ...changed };
  const { text, mentions } = requireText(body);
  const reply = steer(call.env, REFUSALS, { key: `linkedin/${urn}`, text, token });
  posts.update(call.env.store, { urn }, { body });
  call.env.store.changeFields("linkedin", urn, { ...changed, mentions }, text);
  return deliver(reply, new Response(null, { status: 204 }));
}

export async function listPosts(call: Call): Promise<Response> {
  const { member } = await authenticate(call);
  if (call.req.header("x-restli-method") !== "FINDER") {
    throw invalidValue("The header X-RestLi-Method must be FINDER");
  }
  if (encodedParam(call, "q") !== "author") throw invalidValue("The finder q is not known");
  const author = encodedParam(call, "author");
  requireActor(member, author);
  requireScope(call, member, "r_organization_social");
  if (author === member.urn) {
    throw accessDenied("Not enough permissions to access: posts.FINDER-author");
  }
  const sortBy = call.req.query("sortBy") ?? "LAST_MODIFIED";
  if (!["LAST_MODIFIED", "CREATED"].includes(sortBy)) throw invalidValue("sortBy is not known");
  const own = { author, team_id: call.env.origin.teamId };
  const rows = posts.list(call.env.store, own, "ORDER BY created_at DESC, rowid DESC LIMIT 1000");
  return listOf(call, rows.map(toObject));
}
