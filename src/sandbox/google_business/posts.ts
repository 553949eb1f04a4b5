import { imageDimensionsFromStream } from "image-dimensions";
import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import { pullTyped } from "../kit/files.ts";
import { randomDigits } from "../kit/ids.ts";
import { type Call, deliver } from "../kit/simulator.ts";
import { requireAccepted, type SteeredRefusals, steer } from "../kit/steered.ts";
import { allWords, processingSeconds, readSteering } from "../kit/steering.ts";
import { integer, json, key, type RowOf, Table, text } from "../kit/table.ts";
import { authenticate, invalidCredentials, requireLocation } from "./accounts.ts";
import { invalidField, notFound, pageOf, quotaExceeded, refusal } from "./call.ts";
import { type LocalPost, readChanged, readPost } from "./fields.ts";

export const posts = new Table(
  "google_business_posts",
  {
    name: key(),
    team_id: integer(),
    location: text(),
    post: json<LocalPost>(),
    created_at: integer(),
    updated_at: integer(),
    reviewed_at: integer(),
    outcome: text<"LIVE" | "REJECTED">(),
  },
  { indexes: { by_location: "location, team_id, created_at" } },
);

type Row = RowOf<typeof posts>;

/** Longer than any retry delay, so that the refusal is final. */
const LONG_WAIT = { "retry-after": "3600" };

const FETCH_FAILED = 1_000;
const UPLOAD_FAILED = 1_001;

const fetchFailed = () => invalidField(null, "Fetching image failed.", FETCH_FAILED);
const uploadFailed = () => invalidField(null, "Uploading image failed.", UPLOAD_FAILED);

const REFUSALS: SteeredRefusals = {
  expiredToken: invalidCredentials,
  serverError: () => refusal(503, "The service is currently unavailable."),
  failures: {
    rate_limited: () => quotaExceeded("mybusiness.googleapis.com", 300, LONG_WAIT),
    account_disconnected: () => refusal(403, "The caller does not have permission"),
    media_unreachable: fetchFailed,
    media_invalid: uploadFailed,
    unknown: () => refusal(400, "Request contains an invalid argument."),
  },
};

/** A location of a person whose account Google has restricted. */
const restricted = () =>
  invalidField(null, "Operation is not supported due to account condition.", 1_301);

/** A post with this word is rejected by the review, not by the call. */
const REJECTED_LATER = "[sandbox:rejected_later]";
/** Source: Google Business Profile Help, answer 7213077. */
const PHONE_NUMBER = /(?:\+|\b0)\d[\d ()/-]{6,18}\d/;

const isRejectedLater = (shown: string): boolean =>
  shown.includes(REJECTED_LATER) || PHONE_NUMBER.test(shown);

const shownText = ({ event, summary = "" }: LocalPost): string =>
  [event?.title, summary].filter(Boolean).join("\n");

/** Source: Google, MediaItem, and Google Business Profile Help, answer 6103862. */
const PHOTO = { maxBytes: 5_000_000, types: ["image/jpeg", "image/png"] };
const MIN_PHOTO_BYTES = 10_240;
const MIN_PHOTO_EDGE = 250;

async function takePhoto(call: Call, owner: string, url: string): Promise<number> {
  const { store } = call.env;
  const pulled = await pullTyped(call.env, { platform: "google_business", owner }, url, PHOTO);
  if (!pulled.ok) throw pulled.error === "unreachable" ? fetchFailed() : uploadFailed();
  const size = await imageDimensionsFromStream(store.media.stream(pulled.value));
  const edge = size ? Math.min(size.width, size.height) : 0;
  if (edge < MIN_PHOTO_EDGE || store.media.storedBytes(pulled.value) < MIN_PHOTO_BYTES) {
    throw uploadFailed();
  }
  return pulled.value;
}

/** Source: Google, localPosts, "create". A repeat makes another post. */
export async function createPost(call: Call): Promise<Response> {
  const { name, token } = authenticate(call);
  const { path, title, mayPost } = await requireLocation(call, name);
  const post = await readPost(call);
  if (!mayPost) throw invalidField(null, "Location Disabled for Local Post API.", 1_302);
  const { store, origin } = call.env;
  const shown = shownText(post);
  if (shown.includes("[sandbox:restricted]")) throw restricted();
  const verdict = store.steer(origin, path, allWords(shown), token);
  const isFlagged = verdict.kind === "failure" && verdict.code === "content_flagged";
  const reply = isFlagged ? ({ kind: "now" } as const) : requireAccepted(verdict, REFUSALS);
  const files: number[] = [];
  for (const { sourceUrl = "" } of post.media ?? []) {
    files.push(await takePhoto(call, path, sourceUrl));
  }
  const isRejected = isFlagged || isRejectedLater(shown);
  const at = now().getTime();
  const row: Row = {
    name: `${path}/localPosts/${randomDigits(19)}`,
    team_id: origin.teamId,
    location: path,
    post,
    created_at: at,
    updated_at: at,
    reviewed_at: at + (isFlagged ? 0 : processingSeconds(shown) * SECOND),
    outcome: isRejected ? "REJECTED" : "LIVE",
  };
  posts.insert(store, row);
  if (!isRejected) {
    store.savePost(origin, {
      platform: "google_business",
      key: row.name,
      author: title,
      text: shown,
      fields: { ...post, media: post.media?.map(({ mediaFormat }) => ({ mediaFormat })) },
      media: files.map((id) => ({ id, alt: "" })),
      url: searchUrlOf(row),
    });
  }
  return deliver(reply, Response.json(toObject(row)));
}

const lastOf = (path: string): string => path.split("/").at(-1) ?? "";

const searchUrlOf = ({ location, name }: Row): string =>
  `https://local.google.com/place?id=${lastOf(location)}&use=posts&lpsid=${lastOf(name)}`;

const toTime = (ms: number): string => new Date(ms).toISOString();

function toObject(row: Row) {
  const { name, post, created_at, updated_at, reviewed_at, outcome } = row;
  const state = reviewed_at > now().getTime() ? "PROCESSING" : outcome;
  const { media, ...fields } = post;
  return {
    name,
    ...fields,
    state,
    createTime: toTime(created_at),
    updateTime: toTime(updated_at),
    ...(state === "LIVE" ? { searchUrl: searchUrlOf(row) } : {}),
    ...(media
      ? {
          media: media.map(({ mediaFormat }, i) => ({
            name: `${row.location}/media/localPosts/${lastOf(name)}-${i}`,
            mediaFormat,
            googleUrl: "https://lh3.sandbox.test/p/photo",
          })),
        }
      : {}),
  };
}

async function requirePost(call: Call): Promise<Row & { token: string }> {
  const { name, token } = authenticate(call);
  const { path } = await requireLocation(call, name);
  const own = {
    name: `${path}/localPosts/${call.req.param("id")}`,
    team_id: call.env.origin.teamId,
  };
  const row = posts.find(call.env.store, own);
  if (!row) throw notFound();
  return { ...row, token };
}

export async function readOne(call: Call): Promise<Response> {
  return Response.json(toObject(await requirePost(call)));
}

/** Google documents no order. */
export async function listPosts(call: Call): Promise<Response> {
  const { name } = authenticate(call);
  const { path } = await requireLocation(call, name);
  const own = { location: path, team_id: call.env.origin.teamId };
  const rows = posts.list(call.env.store, own, "ORDER BY created_at DESC, rowid DESC LIMIT 5000");
  const { page, next } = pageOf(call, rows, { usual: 20, max: 100 });
  if (page.length === 0) return Response.json({});
  return Response.json({ localPosts: page.map(toObject), ...next });
}

export async function changePost(call: Call): Promise<Response> {
  const { token, ...row } = await requirePost(call);
  const post = await readChanged(call, row.post);
  const { store } = call.env;
  const shown = shownText(post);
  const reply = steer(call.env, REFUSALS, { key: row.name, text: allWords(shown), token });
  const at = now().getTime();
  const isRejected = isRejectedLater(shown);
  const changed = {
    post,
    updated_at: at,
    ...(isRejected ? { outcome: "REJECTED" as const, reviewed_at: at } : {}),
  };
  posts.update(store, { name: row.name }, changed);
  store.changeFields("google_business", row.name, post, shown);
  return deliver(reply, Response.json(toObject({ ...row, ...changed })));
}

/** Keeps a post whose text has the word `not_deleted`, as if Google were down. */
export async function deletePost(call: Call): Promise<Response> {
  const { name, post } = await requirePost(call);
  if (readSteering(shownText(post)).keepsPost) throw REFUSALS.serverError(1);
  posts.delete(call.env.store, { name });
  call.env.store.deletePost("google_business", name);
  return Response.json({});
}
