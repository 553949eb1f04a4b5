import type { FieldInfo } from "../../platforms/kit/form-fields.ts";

/** A setting without words of its own is named by its field. */
export function labelOf(name: string, { label }: Pick<FieldInfo, "label">): string {
  if (label !== undefined) return label;
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const VALUES: Record<string, string> = {
  PUBLIC_TO_EVERYONE: "Everyone",
  MUTUAL_FOLLOW_FRIENDS: "Friends",
  FOLLOWER_OF_CREATOR: "Followers",
  SELF_ONLY: "Only you",
  DIRECT_POST: "Publish",
  DRAFT: "Put it into the inbox of the app",
  MEDIA_UPLOAD: "Put it into the inbox of the app",
  youtube: "Standard YouTube license",
  creativeCommon: "Creative Commons",
};

export function valueWords(value: string): string {
  const own = VALUES[value];
  if (own !== undefined) return own;
  const words = value
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Source: YouTube Data API, videoCategories.list: categories that can be assigned. */
export const CATEGORIES: readonly (readonly [id: string, name: string])[] = [
  ["22", "People & Blogs (default)"],
  ["2", "Autos & Vehicles"],
  ["23", "Comedy"],
  ["27", "Education"],
  ["24", "Entertainment"],
  ["1", "Film & Animation"],
  ["20", "Gaming"],
  ["26", "Howto & Style"],
  ["10", "Music"],
  ["25", "News & Politics"],
  ["29", "Nonprofits & Activism"],
  ["15", "Pets & Animals"],
  ["28", "Science & Technology"],
  ["17", "Sports"],
  ["19", "Travel & Events"],
];

/** Without the values, which the control shows. */
export const helpOf = ({ description, values }: FieldInfo): string =>
  values ? description.replace(/ comma-separated or repeated: .*?\./, ".") : description;
