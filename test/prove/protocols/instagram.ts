import { addPhotos, addVideo } from "../files.ts";
import { FEW_UNDECIDED, formValue, type Protocol } from "../protocol.ts";

export const instagram: Protocol = {
  platform: "instagram",
  refreshesOnce: false,
  textField: "title",
  maxUndecided: FEW_UNDECIDED,
  fill: (fields, i) => {
    if (i % 3 === 0) addVideo(fields);
    else addPhotos(fields, i % 3);
  },
  kindOf: (call) => {
    const { pathname, searchParams } = call.url;
    if (pathname === "/refresh_access_token") return "refresh";
    if (pathname.endsWith("/me")) return "read";
    if (pathname.endsWith("/media_publish")) return "submit";
    if (pathname.endsWith("/comments")) return call.method === "POST" ? "submit" : "look-up";
    if (call.method === "POST") return "step";
    return /\/(?:media|stories)$/.test(pathname) || searchParams.get("fields") === "id,permalink"
      ? "look-up"
      : "status";
  },
  keyOf: (call) => formValue(call, "creation_id"),
};
