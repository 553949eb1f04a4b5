import { MINUTE } from "../../core/time.ts";
import type { Reconciled } from "../connector.ts";
import { comparable } from "../kit/listings.ts";
import { unknowable } from "../kit/steps.ts";
import { isOwn, type ListedPin, listPinsRequest, readListPinsReply, toInstant } from "./api.ts";
import type { Job, Ready } from "./bookmark.ts";
import { toUnknowable } from "./failures.ts";
import { boardIdOf, toPublished, toTexts } from "./pin.ts";

const CLOCK_SLACK_MS = MINUTE;
/** Enough to find a pin after an unanswered call. */
const MAX_PAGES = 4;

const plainLink = (link: string | null | undefined): string =>
  link && URL.canParse(link) ? new URL(link).href : (link ?? "");

/** A pin without date counts as new. */
const isNew = ({ created_at }: ListedPin, from: number): boolean => !(toInstant(created_at) < from);

function isInOrder(pins: ListedPin[]): boolean {
  const times = pins
    .map(({ created_at }) => toInstant(created_at))
    .filter((time) => !Number.isNaN(time));
  return times.every((time, index) => index === 0 || time <= (times[index - 1] ?? time));
}

/** @throws Error when Pinterest cannot tell yet whether the post exists */
export async function findPin(job: Job, { readyAt, mediaId }: Ready): Promise<Reconciled> {
  const from = readyAt - CLOCK_SLACK_MS;
  const listed: ListedPin[] = [];
  let bookmark: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const request = listPinsRequest(job.accessToken, boardIdOf(job), bookmark);
    const reply = await readListPinsReply(await job.fetch(request));
    if (!reply.ok) return toUnknowable(reply.error);
    listed.push(...reply.value.items);
    bookmark = reply.value.bookmark;
    const recent = listed.filter((pin) => isNew(pin, from));
    // A board sorted by hand may list new pins after older ones.
    if (bookmark === null || (recent.length < listed.length && isInOrder(listed))) {
      return judge(job, recent.filter(isOwn), mediaId !== null);
    }
  }
  return unknowable(
    "Pinterest did not answer when the pin was sent, and the board has too many newer pins.",
  );
}

/** A similar pin may be this one, because Pinterest may change texts. */
function judge(job: Job, pins: ListedPin[], isVideo: boolean): Reconciled {
  const texts = toTexts(job.post);
  const candidates = pins.filter((pin) => isOfKind(pin, isVideo));
  const hasTitle = (pin: ListedPin) => comparable(pin.title) === comparable(texts.title);
  const hasDescription = (pin: ListedPin) =>
    comparable(pin.description) === comparable(texts.description);
  const hasLink = (pin: ListedPin) => plainLink(pin.link) === plainLink(texts.link);
  const same = candidates.filter((pin) => hasTitle(pin) && hasDescription(pin) && hasLink(pin));
  const [only] = same;
  if (only && same.length === 1) return toPublished(only.id);
  if (only) {
    return unknowable(
      "Pinterest did not answer when the pin was sent, and the board has several pins like it.",
    );
  }
  const isAlike = (pin: ListedPin) =>
    (hasTitle(pin) && (hasDescription(pin) || hasLink(pin))) ||
    (Boolean(comparable(texts.description)) && hasDescription(pin)) ||
    (Boolean(texts.link) && hasLink(pin) && hasDescription(pin));
  if (candidates.some(isAlike)) {
    return unknowable(
      "Pinterest did not answer when the pin was sent, and the board has a similar pin.",
    );
  }
  return { kind: "absent" };
}

const isOfKind = ({ media }: ListedPin, isVideo: boolean): boolean =>
  !media?.media_type || (media.media_type === "video") === isVideo;
