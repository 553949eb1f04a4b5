import { sandboxLogin } from "../../../src/sandbox/telegram/identity.ts";
import { addPhotos, addVideo } from "../files.ts";
import type { Protocol } from "../protocol.ts";

export const telegram: Protocol = {
  platform: "telegram",
  refreshesOnce: false,
  textField: "description",
  // Bots can read no messages: nobody can be asked after any lost answer.
  maxUndecided: 0.9,
  login: sandboxLogin,
  fill: (fields, i) => {
    if (i % 4 === 0) addVideo(fields);
    else addPhotos(fields, i % 4 === 1 ? 0 : (i % 4) - 1);
  },
  kindOf: ({ url: { pathname } }) => (/\/send\w+$/.test(pathname) ? "submit" : "read"),
  keyOf: () => null,
};
