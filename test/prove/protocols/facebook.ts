import { addPhotos, addVideo } from "../files.ts";
import { type CallKind, FEW_UNDECIDED, formValue, type Protocol, type Seen } from "../protocol.ts";

const KINDS: ((fields: FormData) => void)[] = [
  () => {},
  (fields) => addPhotos(fields, 1),
  addVideo,
  (fields) => addPhotos(fields, 2),
  (fields) => fields.set("link", "https://example.com/news"),
  (fields) => {
    addVideo(fields);
    fields.set("media_type", "REELS");
  },
];

function kindOfRead({ url: { pathname, searchParams } }: Seen): CallKind {
  const fields = searchParams.get("fields") ?? "";
  if (/\/(?:published_posts|comments)$/.test(pathname)) return "look-up";
  if (fields === "post_id") return "step";
  if (!/\bpicture\b/.test(fields)) return "status";
  return /\baccess_token\b/.test(fields) ? "refresh" : "read";
}

/** Returns true for the call that makes the post, by its address and body. */
function isSubmit(call: Seen): boolean {
  switch (call.url.pathname.split("/").at(-1)) {
    case "feed":
    case "comments":
      return true;
    case "photos":
      return formValue(call, "published") === "true";
    case "videos":
    case "video_reels":
      return formValue(call, "upload_phase") === "finish";
    default:
      return false;
  }
}

export const facebook: Protocol = {
  platform: "facebook",
  refreshesOnce: false,
  textField: "description",
  maxUndecided: FEW_UNDECIDED,
  // Facebook may hide comments from a login, so a comment that is missing in the list may still exist.
  maxUndecidedParts: 0.5,
  fill: (fields, i) => KINDS[i % KINDS.length]?.(fields),
  kindOf: (call) => {
    if (call.method === "GET") return kindOfRead(call);
    return call.method === "POST" && isSubmit(call) ? "submit" : "step";
  },
  // The same status is refused the second time, and so is the end of an upload; a comment is not.
  keyOf: (call) =>
    isSubmit(call) && !call.url.pathname.endsWith("/comments")
      ? (formValue(call, "upload_session_id") ??
        formValue(call, "video_id") ??
        formValue(call, "message"))
      : null,
};
