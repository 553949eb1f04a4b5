import { now } from "../../core/clock.ts";
import { HOUR } from "../../core/time.ts";
import { deliver } from "../kit/simulator.ts";
import {
  type GraphCall,
  graphError,
  invalidParameter,
  mediaError,
  readFlag,
} from "../meta/graph.ts";
import { requireKnown } from "./call.ts";
import { authenticate, type Page } from "./pages.ts";
import { attach, findPhoto, type Photo, toPostFile } from "./photos.ts";
import { checkMessage, newestPost, savePost } from "./posts.ts";
import { steerPost } from "./steering.ts";

/** Meta documents no maximum; other programs send at most ten. */
const MAX_ATTACHED = 10;
const DUPLICATE_MS = HOUR;

function readAttached(call: GraphCall, page: Page): Photo[] {
  const texts: string[] = [];
  const whole = call.var.params.get("attached_media");
  if (whole !== undefined) {
    const list = parse(whole);
    if (!Array.isArray(list)) throw invalidParameter("Param attached_media must be an array.");
    texts.push(...list.map((item) => JSON.stringify(item)));
  }
  for (let index = 0; ; index++) {
    const item = call.var.params.get(`attached_media[${index}]`);
    if (item === undefined) break;
    texts.push(item);
  }
  if (texts.length > MAX_ATTACHED) {
    throw invalidParameter(`At most ${MAX_ATTACHED} items can be attached.`);
  }
  return texts.map((text) => {
    const { media_fbid: id } = (parse(text) ?? {}) as Record<string, unknown>;
    if (typeof id !== "string") throw invalidParameter("Param attached_media: media_fbid");
    const photo = findPhoto(call, page, id);
    if (!photo) throw invalidParameter(`Param attached_media: ${id} does not exist`);
    if (photo.published) throw mediaError(100, 1366051, "These photos were already posted.");
    return photo;
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidParameter("Param attached_media must be JSON.");
  }
}

function checkLink(link: string): void {
  if (!URL.canParse(link) || !/^https?:$/.test(new URL(link).protocol)) {
    throw mediaError(100, 2061006, "The link is not valid.");
  }
  if (/(?:^|\.)facebook\.com$/.test(new URL(link).hostname)) {
    throw mediaError(100, 1609008, "A post cannot link to Facebook itself.");
  }
  // The host's name decides whether the link works.
  const [site] = new URL(link).hostname.split(".");
  if (site === "invalid") throw graphError(1500, "(#1500) The url you supplied is invalid");
  if (site === "unreachable") {
    throw mediaError(100, 1609005, "There was a problem scraping data from the provided link.");
  }
}

function requireNew(call: GraphCall, page: Page, message: string, link: string): void {
  const last = newestPost(call, page);
  const isSame = last && last.photos === 0 && last.message === message && last.link === link;
  if (!isSame || now().getTime() - last.created_at > DUPLICATE_MS) return;
  throw graphError(
    506,
    "(#506) Duplicate status message: it is identical to the last one you posted.",
  );
}

const POST_PARAMS = ["message", "link", "published", "attached_media", "attached_media[]"];

export async function createPost(call: GraphCall): Promise<Response> {
  const { page, token } = await authenticate(call);
  requireKnown(call, POST_PARAMS);
  const isPublished = readFlag(call.var.params, "published", true);
  const message = call.var.params.get("message") ?? "";
  const link = call.var.params.get("link") ?? "";
  checkMessage(message);
  if (link !== "") checkLink(link);

  // No await from here on: two calls could attach the same photo.
  const photos = readAttached(call, page);
  if (message.trim() === "" && link === "" && photos.length === 0) {
    throw invalidParameter("A post needs one of message, link and attached_media.");
  }
  if (link !== "" && photos.length > 0) {
    throw invalidParameter("A post has a link or attached media, not both.");
  }
  const reply = steerPost(call, page, message, token);
  if (photos.length === 0 && isPublished) requireNew(call, page, message, link);
  const kind = photos.length > 1 ? "album" : photos.length === 1 ? "photo" : "text";
  const id = savePost(call, page, {
    kind: link === "" ? kind : "link",
    message,
    link,
    photos: photos.map(toPostFile),
    fields: {
      ...Object.fromEntries(call.var.params),
      photos: photos.map((photo) => photo.received),
    },
  });
  attach(call, photos);
  return deliver(reply, Response.json({ id }));
}
