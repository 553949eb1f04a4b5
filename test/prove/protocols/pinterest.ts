import { boardsOf } from "../../../src/sandbox/pinterest/boards.ts";
import { addPhotos, addVideo } from "../files.ts";
import { FEW_UNDECIDED, type Protocol } from "../protocol.ts";

export const pinterest: Protocol = {
  platform: "pinterest",
  refreshesOnce: true,
  textField: "title",
  maxUndecided: FEW_UNDECIDED,
  fill: async (fields, i, account) => {
    const boards = await boardsOf(account);
    fields.set("pinterest_board_id", boards[i % 2]?.id ?? "");
    if (i % 3 === 0) addVideo(fields);
    else addPhotos(fields, i % 3);
    if (i % 4 === 0) fields.set("link", "https://example.com/shop");
  },
  kindOf: ({ method, url: { hostname, pathname } }) => {
    if (hostname !== "api.pinterest.com") return "step";
    if (pathname === "/v5/oauth/token") return "refresh";
    if (pathname === "/v5/pins") return "submit";
    if (method === "POST") return "step";
    if (pathname.endsWith("/pins")) return "look-up";
    return pathname.startsWith("/v5/media/") ? "status" : "read";
  },
  keyOf: () => null,
};
