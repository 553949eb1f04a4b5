import { addPhotos, addVideo } from "../files.ts";
import { FEW_UNDECIDED, formValue, type Protocol } from "../protocol.ts";

export const threads: Protocol = {
  platform: "threads",
  refreshesOnce: false,
  textField: "title",
  maxUndecided: FEW_UNDECIDED,
  // A post that is found without its id takes no replies.
  maxUndecidedParts: 0.1,
  fill: (fields, i) => {
    if (i % 4 === 0) addVideo(fields);
    else addPhotos(fields, i % 4 === 1 ? 0 : (i % 4) - 1);
  },
  kindOf: ({ method, url: { pathname, searchParams } }) => {
    if (pathname.endsWith("/refresh_access_token")) return "refresh";
    if (pathname.endsWith("/me")) return "read";
    if (pathname.endsWith("/threads_publish")) return "submit";
    if (method === "POST") return "step";
    const isOfPosts = /\bpermalink\b/.test(searchParams.get("fields") ?? "");
    return isOfPosts ? "look-up" : "status";
  },
  keyOf: (call) => formValue(call, "creation_id"),
};
