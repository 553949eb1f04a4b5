import type { FieldError } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import type { RawField } from "../../platforms/kit/form-fields.ts";
import type { StoredFile } from "../media/store.ts";

/** Values of platform fields, by wire name, as the platforms' settings schemas take them. */
export type RawSettings = Record<string, RawField>;

/** The role of a file in a post. A photo may also be a video of a carousel, or a document. */
export type MediaRole = "photo" | "video" | "thumbnail";

/** A file of a new post. `field`: its name in the call, for messages. */
export type NewMedia = { role: MediaRole; field: string } & (
  | {
      /** Came with the call; its object is deleted unless the post needs it. */
      received: StoredFile;
    }
  | {
      /** A file that the team has stored before. */
      sha256: string;
    }
  | { url: string }
  | {
      /** Reason why the file was not stored, as a sentence. */
      refusal: string;
    }
);

/** Changes to a post for one platform, or for one account. */
export interface Override {
  title?: string;
  /** The text, in whichever field the platform has it. */
  caption?: string;
  thumbnailUrl?: string;
  settings?: RawSettings;
}

/** A post to create, for one account or many, whichever door it comes through. */
export interface NewPost {
  /** Makes the call safe to repeat; null for a call without a name. */
  call: NamedCall | null;
  accountIds: readonly string[];
  title: string | null;
  description: string | null;
  /** For many accounts: the text where the platform's own text field is empty. */
  caption: string | null;
  settings: RawSettings;
  /** By platform or account id; an account's goes over its platform's. For many accounts only. */
  overrides: Record<string, Override>;
  media: readonly NewMedia[];
  /** Null: at once. */
  scheduledFor: Date | null;
  /** Holds the post back; null publishes it. */
  status: "draft" | "pending_approval" | null;
  /** Origin of this service, under which platforms pull the files. */
  origin: string;
  /** Errors of reading the call: about accounts and overrides (`targets`), and about the post's own fields. */
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

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

/** Returns the same value for the same files in the same order, whatever fields they came in. */
export const canonicalMedia = (media: readonly NewMedia[]): unknown =>
  media.map(({ role, field, ...file }) =>
    "received" in file ? [role, file.received.sha256] : [role, Object.values(file)],
  );

/** Returns the same value for calls with the same post, in whatever order they name its settings. */
export function canonicalPost({ call: _, origin: __, ...post }: NewPost): unknown {
  const media = canonicalMedia(post.media);
  const settings = Object.entries(post.settings).sort(byName);
  return Object.entries({ ...post, media, settings }).sort(byName);
}
