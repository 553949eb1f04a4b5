import { addVideo } from "../files.ts";
import { FEW_UNDECIDED, isLastChunk, type Protocol } from "../protocol.ts";

export const youtube: Protocol = {
  platform: "youtube",
  refreshesOnce: false,
  textField: "title",
  maxUndecided: FEW_UNDECIDED,
  fill: (fields, i) => {
    addVideo(fields);
    if (i % 3 === 0) fields.set("tags", "proof,of,once");
    if (i % 3 === 1) fields.set("privacyStatus", "unlisted");
  },
  kindOf: (call) => {
    const { hostname, pathname, searchParams } = call.url;
    if (hostname === "oauth2.googleapis.com") return "refresh";
    if (call.method === "PUT") {
      if (isLastChunk(call)) return "submit";
      const asks = /^bytes \*/.test(call.headers.get("content-range") ?? "");
      return asks ? "look-up" : "step";
    }
    if (pathname.endsWith("/commentThreads")) return call.method === "POST" ? "submit" : "look-up";
    if (call.method === "POST") return "step";
    if (pathname.endsWith("/playlistItems")) return "look-up";
    if (pathname.endsWith("/videos")) return "status";
    return searchParams.get("part") === "contentDetails" ? "look-up" : "read";
  },
  keyOf: (call) => (isLastChunk(call) ? call.url.searchParams.get("upload_id") : null),
};
