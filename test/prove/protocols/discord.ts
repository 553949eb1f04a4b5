import { sandboxLogin } from "../../../src/sandbox/discord/world.ts";
import { addPhotos, addVideo } from "../files.ts";
import { FEW_UNDECIDED, type Protocol, type Seen } from "../protocol.ts";

const isSubmit = ({ method, url }: Seen) => method === "POST" && url.pathname.endsWith("/messages");

/** By a bot: nobody can ask Discord what a webhook has posted. */
export const discord: Protocol = {
  platform: "discord",
  refreshesOnce: false,
  textField: "description",
  maxUndecided: FEW_UNDECIDED,
  connection: async (account) => ({ name: `Bot ${account}` }),
  login: (account) => sandboxLogin(`Bot ${account}`),
  fill: (fields, i) => {
    if (i % 5 === 0) addVideo(fields);
    else addPhotos(fields, i % 5 === 1 ? 0 : (i % 5) - 1);
  },
  kindOf: (call) => {
    if (isSubmit(call)) return "submit";
    return call.url.pathname.endsWith("/messages") ? "look-up" : "read";
  },
  // The same nonce makes no second message.
  keyOf: (call) => (isSubmit(call) ? (/"nonce":"(\w+)"/.exec(call.body)?.[1] ?? null) : null),
};
