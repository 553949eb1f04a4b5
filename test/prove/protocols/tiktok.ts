import { addPhotos, addVideo } from "../files.ts";
import { isLastChunk, type Protocol } from "../protocol.ts";

export const tiktok: Protocol = {
  platform: "tiktok",
  refreshesOnce: true,
  textField: "title",
  // Photos get the name that can be asked for with the very answer that may be lost.
  maxUndecided: 0.25,
  fill: (fields, i) => (i % 3 === 0 ? addPhotos(fields, 2) : addVideo(fields)),
  kindOf: (call) => {
    const { pathname } = call.url;
    if (pathname === "/v2/oauth/token/") return "refresh";
    if (pathname === "/v2/user/info/") return "read";
    if (pathname.endsWith("/status/fetch/")) return "status";
    if (pathname.endsWith("/video/list/")) return "look-up";
    if (pathname.endsWith("/content/init/")) return "submit";
    return call.method === "PUT" && isLastChunk(call) ? "submit" : "step";
  },
  keyOf: ({ url }) => url.searchParams.get("upload_id"),
};
