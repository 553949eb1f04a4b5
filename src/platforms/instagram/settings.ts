import * as z from "zod";
import { refusedUrl } from "../../core/url-policy.ts";

/** Source: spec, "Uploads: create", `instagram`. */
const MEDIA_TYPES = ["IMAGE", "VIDEO", "REELS", "STORIES"] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

const TRIAL_REELS = ["manual", "auto"] as const;

/** Letters, digits, dots and underscores, up to 30. Source: Instagram Help Center, "Usernames". */
const USERNAME = /^[a-z0-9._]{1,30}$/i;

/** Refused entries of one list that are told by name. */
const MAX_ISSUES = 10;
const MAX_SHOWN_CHARACTERS = 60;

const shown = (text: string): string => `"${text.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed()}"`;

/** As the form brings it; of a field that was repeated the last value counts. */
const formField = z.union([z.string(), z.array(z.string())]).optional();
const lastOf = (raw: z.infer<typeof formField>): string =>
  (typeof raw === "string" ? raw : (raw?.at(-1) ?? "")).trim();

type Refuse = (message: string) => never;

/** A field of one value; `read` is not asked for one that is left out or empty, which is null. */
const single = <T>(read: (text: string, refuse: Refuse) => T) =>
  formField.transform((raw, ctx): T | null => {
    const text = lastOf(raw);
    if (text === "") return null;
    return read(text, (message) => {
      ctx.addIssue({ code: "custom", message });
      return z.NEVER;
    });
  });

/** One of `values` in whatever case. */
const choice = <T extends string>(values: readonly T[]) =>
  single((text, refuse): T => {
    const found = values.find((value) => value.toLowerCase() === text.toLowerCase());
    return found ?? refuse(`must be one of ${values.join(", ")}; ${shown(text)} was sent.`);
  });

const flag = single((text, refuse): boolean => {
  switch (text.toLowerCase()) {
    case "true":
    case "1":
      return true;
    case "false":
    case "0":
      return false;
    default:
      return refuse(`must be true or false; ${shown(text)} was sent.`);
  }
});

/** Different usernames in their order, without a leading @. */
const usernames = formField.transform((raw, ctx): string[] => {
  const texts = typeof raw === "string" ? [raw] : (raw ?? []);
  const names = texts
    .flatMap((text) => text.split(","))
    .map((name) => name.trim().replace(/^@/, ""))
    .filter((name) => name !== "");
  for (const name of names.filter((name) => !USERNAME.test(name)).slice(0, MAX_ISSUES)) {
    ctx.addIssue({
      code: "custom",
      message: `${shown(name)} is no Instagram username: letters, digits, dots and underscores, up to 30.`,
    });
  }
  const byName = new Map(names.map((name) => [name.toLowerCase(), name]));
  return [...byName.values()];
});

const coverUrl = single((text, refuse): string => {
  const reason = refusedUrl(text);
  // Instagram takes addresses in ASCII alone, which is how a parsed one is written.
  return reason ? refuse(`${reason}.`) : new URL(text).href;
});

/** Milliseconds. Longer than any reel, and still exact as a number. */
const thumbOffset = single((text, refuse): number =>
  /^\d{1,7}$/.test(text) ? Number(text) : refuse("must be a whole number of milliseconds."),
);

const locationId = single((text, refuse): string =>
  /^\d{1,20}$/.test(text) ? text : refuse("must be the numeric id of a location."),
);

/** The form fields of an Instagram post. One that is empty counts as left out. */
export const settings = z.object({
  media_type: choice(MEDIA_TYPES).describe(
    `${MEDIA_TYPES.join(", ")}. Default: REELS for a video, found out for photos.`,
  ),
  cover_url: coverUrl.describe("https address of a reel's cover, a JPEG; wins over thumb_offset."),
  thumb_offset: thumbOffset.describe("The moment of a reel that is its cover, in ms. Default: 0."),
  location_id: locationId.describe("Id of the place; not for stories."),
  collaborators: usernames.describe("Up to 3 usernames, comma-separated; not for stories."),
  user_tags: usernames.describe(
    "Up to 20 usernames to tag, comma-separated; on a carousel in its first image.",
  ),
  share_to_feed: flag
    .transform((value) => value ?? true)
    .describe("Whether a reel is shown in the feed as well. Default: true."),
  trial_reel: choice(TRIAL_REELS).describe(
    "A single reel shown to non-followers first, shared with all by hand (manual) or if it does well (auto).",
  ),
  audio_name: single((text) => text).describe("Name of a reel's original audio; can be set once."),
  is_aigc: flag
    .transform((value) => value ?? false)
    .describe("Labels the post, a carousel as a whole, as made with AI. Default: false."),
});

export type InstagramSettings = z.infer<typeof settings>;
