import { nullIfBlank } from "../../core/text.ts";
import { ZoneClock } from "../../core/zone.ts";
import type { RawField } from "../../platforms/kit/form-fields.ts";
import { connectorOf } from "../../platforms/registry.ts";
import {
  EMPTY_POST,
  type NewMedia,
  type NewPost,
  type Override,
  type RawSettings,
} from "../compose/new-post.ts";
import type { DraftContent } from "../drafts/table.ts";
import type { Call } from "../idempotency/once.ts";
import type { MediaRow } from "../media/repo.ts";
import { hasOwnTitle, readName, takes } from "./content.ts";
import type { ShownAccount } from "./view.ts";

/** What the page asks, and no field of the API. */
const ASKED_ALONE = ["discloses"];

const WALL_TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})$/;

/** Null without a whole date and time. */
export function plannedAt({ at }: DraftContent["when"], zone: string | null): Date | null {
  const [, day, time] = WALL_TIME.exec(at) ?? [];
  const read = Date.parse(`${at}:00Z`);
  if (day === undefined || time === undefined || Number.isNaN(read)) return null;
  if (!new Date(read).toISOString().startsWith(at)) return null;
  return new Date(new ZoneClock(zone ?? "UTC").instantOf(day, time).at);
}

export function toMedia(
  { media, thumbnailMediaId }: DraftContent,
  files: readonly Pick<MediaRow, "sha256" | "kind">[],
): NewMedia[] {
  const [first, ...others] = media;
  const isVideo = files.find(({ sha256 }) => sha256 === first?.mediaId)?.kind === "video";
  const role = isVideo && others.length === 0 ? "video" : "photo";
  return [
    ...media.map(({ mediaId }) => ({ role, field: "mediaId", sha256: mediaId }) as const),
    ...(thumbnailMediaId
      ? [{ role: "thumbnail", field: "thumbnail", sha256: thumbnailMediaId } as const]
      : []),
  ];
}

const STATUS = {
  now: null,
  at: null,
  pool: null,
  draft: "draft",
  approval: "pending_approval",
  review: "pending_approval",
} as const;

/** Parts without a text and a file are left out. */
export const threadOf = ({ thread }: DraftContent): DraftContent["thread"] =>
  thread.filter(({ text, media }) => text.trim() !== "" || media.length > 0);

export function sharedSettings(content: DraftContent): RawSettings {
  const { fields, firstComment, media } = content;
  const thread = threadOf(content);
  const shared = Object.entries(fields).filter(([name]) => readName(name).owner === null);
  const { thread_marks: marks, ...others } = Object.fromEntries(shared);
  return {
    ...others,
    ...(thread.length > 0 ? { thread: JSON.stringify(thread) } : {}),
    ...(thread.length > 0 && marks !== undefined ? { thread_marks: marks } : {}),
    ...(firstComment.trim() !== "" ? { first_comment: firstComment } : {}),
    ...(media.some(({ altText }) => altText.trim() !== "")
      ? { alt_text: media.map(({ altText }) => altText) }
      : {}),
  };
}

/**
 * What an item of a pool keeps: one value for every account that has the setting. `unlike`: controls of the chosen
 * accounts that answer differently.
 */
export function itemSettings(
  content: DraftContent,
  accounts: readonly Pick<ShownAccount, "id" | "platform">[],
): { settings: RawSettings; unlike: string[] } {
  const owners = new Set(accounts.flatMap(({ id, platform }): string[] => [platform, id]));
  const settings = sharedSettings(content);
  const first = new Map<string, string>();
  const unlike: string[] = [];
  for (const [control, value] of Object.entries(content.fields)) {
    const { owner, name } = readName(control);
    if (owner === null || !owners.has(owner) || ASKED_ALONE.includes(name)) continue;
    const text = JSON.stringify(value);
    if ((first.get(name) ?? text) === text) settings[name] = value;
    else unlike.push(control);
    first.set(name, first.get(name) ?? text);
  }
  return { settings, unlike };
}

function ownSettings({ fields }: DraftContent, key: string): RawSettings {
  const own = Object.entries(fields).flatMap(([control, value]): [string, RawField][] => {
    const { owner, name } = readName(control);
    return owner === key && !ASKED_ALONE.includes(name) ? [[name, value]] : [];
  });
  return Object.fromEntries(own);
}

function textOverride({ overrides }: DraftContent, key: string): Override {
  const { title, caption, first_comment: comment, thread } = overrides[key] ?? {};
  return {
    ...(title === undefined ? {} : { title }),
    ...(caption === undefined ? {} : { caption }),
    settings: {
      ...(comment === undefined ? {} : { first_comment: comment }),
      ...(thread === undefined ? {} : { thread }),
    },
  };
}

/** The text alone goes where no title is published; what the platform cannot take after a post is left out. */
function platformOverride(content: DraftContent, platform: ShownAccount["platform"]): Override {
  const connector = connectorOf(platform);
  const { title, description } = content;
  const isTextAlone = !hasOwnTitle(connector) && connector.capabilities.textField === "title";
  return {
    ...(isTextAlone && nullIfBlank(title) !== null && nullIfBlank(description) !== null
      ? { caption: description }
      : {}),
    settings: {
      ...(takes(connector, "post") ? {} : { thread: "", thread_marks: "" }),
      ...(takes(connector, "comment") ? {} : { first_comment: "" }),
    },
  };
}

const joined = (...overrides: Override[]): Override => ({
  ...Object.assign({}, ...overrides),
  settings: Object.assign({}, ...overrides.map(({ settings }) => settings)),
});

interface Sending {
  accounts: readonly Pick<ShownAccount, "id" | "platform">[];
  files: readonly Pick<MediaRow, "sha256" | "kind">[];
  zone: string | null;
  origin: string;
  call: Call | null;
}

export function toNewPost(
  content: DraftContent,
  { accounts, files, zone, origin, call }: Sending,
): NewPost {
  const { kind } = content.when;
  const overrides: NewPost["overrides"] = {};
  for (const { id, platform } of accounts) {
    overrides[platform] ??= joined(
      platformOverride(content, platform),
      textOverride(content, platform),
      {
        settings: ownSettings(content, platform),
      },
    );
    overrides[id] = joined(textOverride(content, id), { settings: ownSettings(content, id) });
  }
  return {
    ...EMPTY_POST,
    call,
    accountIds: accounts.map(({ id }) => id),
    title: nullIfBlank(content.title),
    description: nullIfBlank(content.description),
    settings: sharedSettings(content),
    overrides,
    media: toMedia(content, files),
    scheduledFor: kind === "now" || kind === "pool" ? null : plannedAt(content.when, zone),
    status: STATUS[kind],
    origin,
  };
}
