import type { FieldError } from "../../../core/errors.ts";
import { sha256Hex } from "../../../core/signature.ts";
import type { RawField } from "../../../platforms/kit/form-fields.ts";
import type { NamedCall } from "../../idempotency/repo.ts";
import type { StoredFile } from "../../media/store.ts";

/** Values of platform fields as their settings schemas take them, by wire name. */
export type RawSettings = Record<string, RawField>;

/** What a file is sent as. A photo may also be a video of a carousel, or a document. */
export type MediaRole = "photo" | "video" | "thumbnail";

/** A file of a new post. `field`: what the caller calls it, for messages. */
export type NewMedia = { role: MediaRole; field: string } & (
  | {
      /** Came with the call: its object is removed where the post does not need it. */
      received: StoredFile;
    }
  | {
      /** A file that the team has already. */
      sha256: string;
    }
  | { url: string }
  | {
      /** Why it could not be taken in, in a sentence; told with everything else that is wrong. */
      refusal: string;
    }
);

/** What is different for one platform, or for one account. */
export interface Override {
  title?: string;
  /** The text, in whichever field the platform has it. */
  caption?: string;
  thumbnailUrl?: string;
  settings?: RawSettings;
}

/** A post that somebody wants for one account or many, whichever door it comes in by. */
export interface NewPost {
  /** Names the call, so that its repetition is not a second post. */
  call: NamedCall | null;
  accountIds: readonly string[];
  title: string | null;
  description: string | null;
  /** The text in a post for many accounts, where neither title nor description is it. */
  caption: string | null;
  settings: RawSettings;
  /** By platform or account id; an account's goes over its platform's. For many accounts only. */
  overrides: Record<string, Override>;
  media: readonly NewMedia[];
  /** Null: at once. */
  scheduledFor: Date | null;
  /** Where it waits for somebody to let it out; null: it goes out. */
  status: "draft" | "pending_approval" | null;
  /** The address of ours under which platforms can pull its files. */
  origin: string;
  /** What the door could not read: of the accounts and their overrides, and of the post's own fields. */
  refused: { targets: readonly FieldError[]; fields: readonly FieldError[] };
}

/** A post with nothing in it. */
export const EMPTY_POST: Omit<NewPost, "accountIds" | "origin"> = {
  call: null,
  title: null,
  description: null,
  caption: null,
  settings: {},
  overrides: {},
  media: [],
  scheduledFor: null,
  status: null,
  refused: { targets: [], fields: [] },
};

/** Returns null for blank text, which is no text. */
export const presence = (text: string | null): string | null =>
  text === null || text.trim() === "" ? null : text;

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

/** Returns the same for calls that want the same post, in whatever order they name its settings. */
export function fingerprintOf({ call: _, origin: __, ...post }: NewPost): Promise<string> {
  const media = post.media.map(({ role, field, ...file }) =>
    "received" in file ? [role, file.received.sha256] : [role, Object.values(file)],
  );
  const settings = Object.entries(post.settings).sort(byName);
  return sha256Hex(JSON.stringify(Object.entries({ ...post, media, settings }).sort(byName)));
}
