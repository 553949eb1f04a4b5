import type { RecordedCall } from "./recording.ts";

/** A mistake, the recorded call that it is made of, and the change. */
type WrongCall = [
  what: string,
  isMadeOf: (call: RecordedCall) => boolean,
  change: (call: RecordedCall) => RecordedCall,
];

type Fields = Record<string, unknown>;

const fieldsOf = ({ body }: RecordedCall): Fields =>
  body?.kind === "json" ? (body.value as Fields) : {};

const withFields =
  (change: (fields: Fields) => Fields) =>
  (call: RecordedCall): RecordedCall => ({
    ...call,
    body: { kind: "json", value: change(structuredClone(fieldsOf(call))) },
  });

const add = (fields: Fields) => withFields((sent) => ({ ...sent, ...fields }));

const without = (name: string) =>
  withFields((sent) => Object.fromEntries(Object.entries(sent).filter(([one]) => one !== name)));

/** The same for an object inside of the body. */
const inside = (name: string, change: (fields: Fields) => Fields) =>
  withFields((sent) => ({ ...sent, [name]: change(sent[name] as Fields) }));

const at = (path: string) => (call: RecordedCall) => {
  const url = new URL(call.url);
  url.pathname = path;
  return { ...call, url: url.href };
};

const withQuery = (name: string, value: string | null) => (call: RecordedCall) => {
  const url = new URL(call.url);
  if (value === null) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  return { ...call, url: url.href };
};

const by = (method: string) => (call: RecordedCall) => ({ ...call, method });

const isTo =
  (method: string, end: string) =>
  (call: RecordedCall): boolean =>
    call.method === method && new URL(call.url).pathname.endsWith(end);

const tweet = isTo("POST", "/2/tweets");
const poll = (call: RecordedCall) => tweet(call) && "poll" in fieldsOf(call);
const beginning = isTo("POST", "/upload/initialize");
const listing = isTo("GET", "/tweets");

const lookUp = isTo("GET", "/2/tweets");
const deletion = (call: RecordedCall) => call.method === "DELETE";

const X: WrongCall[] = [
  ["an unknown field", tweet, add({ colour: "red" })],
  ["another type", tweet, add({ text: 5 })],
  ["an unknown value", tweet, add({ reply_settings: "friends" })],
  ["a missing field", poll, inside("poll", ({ options }) => ({ options }))],
  ["an unknown field inside", poll, inside("poll", (fields) => ({ ...fields, colour: "red" }))],
  ["an unknown category", beginning, add({ media_category: "tweet_film" })],
  ["an unknown path", tweet, at("/2/posts")],
  ["another verb", tweet, by("PUT")],
  ["an unknown parameter", listing, withQuery("colour", "red")],
  ["an unknown value of a parameter", listing, withQuery("tweet.fields", "colour")],
  ["a look-up of nothing", lookUp, withQuery("ids", null)],
  ["a deletion with a parameter", deletion, withQuery("colour", "red")],
  ["a deletion of all", deletion, at("/2/tweets")],
];

const insert = isTo("POST", "/upload/youtube/v3/videos");
const look = isTo("GET", "/youtube/v3/videos");

const YOUTUBE: WrongCall[] = [
  ["an unknown part", insert, add({ colour: { red: true } })],
  ["an unknown field", insert, inside("snippet", (fields) => ({ ...fields, colour: "red" }))],
  ["another type", insert, inside("snippet", (fields) => ({ ...fields, tags: "one" }))],
  [
    "another type of a flag",
    insert,
    inside("status", (fields) => ({ ...fields, embeddable: "yes" })),
  ],
  ["an unknown path", insert, at("/upload/youtube/v3/films")],
  ["another verb", look, by("PATCH")],
  ["an unknown parameter", look, withQuery("colour", "red")],
  ["a missing parameter", look, withQuery("part", null)],
  ["a deletion of nothing", deletion, withQuery("id", null)],
  ["a deletion with a part", deletion, withQuery("part", "id")],
];

const put = isTo("POST", "com.atproto.repo.putRecord");
const start = isTo("POST", "app.bsky.video.startUpload");
const job = isTo("GET", "app.bsky.video.getJobStatus");
const images = (call: RecordedCall) =>
  put(call) && JSON.stringify(call.body).includes("embed.images");

const remove = isTo("POST", "com.atproto.repo.deleteRecord");
const read = isTo("GET", "com.atproto.repo.getRecord");
const feed = isTo("GET", "app.bsky.feed.getAuthorFeed");

const BLUESKY: WrongCall[] = [
  ["an unknown field", put, inside("record", (fields) => ({ ...fields, colour: "red" }))],
  ["a field that is missing", put, inside("record", ({ createdAt: _, ...rest }) => rest)],
  ["another type", put, inside("record", (fields) => ({ ...fields, langs: "en" }))],
  [
    "a text that is too long",
    put,
    inside("record", (fields) => ({ ...fields, text: "x".repeat(301) })),
  ],
  [
    "an embed of no kind",
    images,
    inside("record", (fields) => ({ ...fields, embed: { $type: "app.bsky.embed.paint" } })),
  ],
  ["a field beside the record", put, add({ colour: "red" })],
  ["a missing size", start, without("sizeBytes")],
  ["an unknown method", start, at("/xrpc/app.bsky.video.beginUpload")],
  ["another verb", job, by("POST")],
  ["an unknown parameter", job, withQuery("colour", "red")],
  ["a missing parameter", job, withQuery("jobId", null)],
  ["a deletion without a key", remove, without("rkey")],
  ["a deletion with an unknown field", remove, add({ colour: "red" })],
  ["a look-up without a key", read, withQuery("rkey", null)],
  ["a page that is too long", feed, withQuery("limit", "101")],
];

const pin = isTo("POST", "/v5/pins");
const video = (call: RecordedCall) => pin(call) && JSON.stringify(call.body).includes("video_id");
const boards = isTo("GET", "/v5/boards");
const pins = isTo("GET", "/v5/pins");
const token = isTo("POST", "/v5/oauth/token");

const withField = (name: string, value: string) => (call: RecordedCall) =>
  call.body?.kind === "form"
    ? { ...call, body: { ...call.body, fields: { ...call.body.fields, [name]: value } } }
    : call;

const PINTEREST: WrongCall[] = [
  ["an unknown field", pin, add({ colour: "red" })],
  ["another type", pin, add({ alt_text: 5 })],
  ["a link that is too long", pin, add({ link: `https://example.com/${"x".repeat(2_048)}` })],
  ["an unknown source", pin, add({ media_source: { source_type: "image_uri", url: "x" } })],
  ["a source without its address", pin, add({ media_source: { source_type: "image_url" } })],
  [
    "a cover in fractions",
    video,
    inside("media_source", (source) => ({ ...source, cover_image_key_frame_time: 1.5 })),
  ],
  ["an unknown path", pin, at("/v5/pin")],
  ["another verb", pin, by("PUT")],
  ["an unknown parameter", boards, withQuery("colour", "red")],
  ["a page that is too long", boards, withQuery("page_size", "251")],
  ["an unknown filter", pins, withQuery("pin_filter", "colour")],
  ["an unknown field of a form", token, withField("colour", "red")],
  ["an unknown grant", token, withField("grant_type", "password")],
  ["a deletion with a parameter", deletion, withQuery("colour", "red")],
  ["a deletion of all", deletion, at("/v5/pins")],
];

/** Calls that each contract has to refuse, or it would let everything pass. */
export const WRONG_CALLS = { x: X, youtube: YOUTUBE, bluesky: BLUESKY, pinterest: PINTEREST };
