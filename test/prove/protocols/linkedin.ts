import { digitsOf } from "../../../src/sandbox/kit/logins.ts";
import { addDocument, addLargeVideo, addPhotos } from "../files.ts";
import type { Protocol } from "../protocol.ts";

const KINDS: ((fields: FormData) => void)[] = [
  () => {},
  (fields) => addPhotos(fields, 1),
  addLargeVideo,
  (fields) => addPhotos(fields, 3),
  addDocument,
];

/** Two of three accounts are pages. */
const isPerson = (account: string): boolean => Number(/\d+/.exec(account)?.[0]) % 3 === 0;

/** The number of a page that the simulated member of this name runs. */
const pageOf = (member: string): Promise<string> => digitsOf("linkedin", `${member} Works`, 9);

export const linkedin: Protocol = {
  platform: "linkedin",
  refreshesOnce: false,
  textField: "description",
  // Nobody but themselves sees a list of a person's posts; those of pages can be asked for.
  maxUndecided: 0.3,
  // The comments under a person's posts cannot be asked for either.
  maxUndecidedParts: 0.4,
  connection: async (account) => (isPerson(account) ? {} : { pageId: await pageOf(account) }),
  fill: (fields, i) => KINDS[i % KINDS.length]?.(fields),
  kindOf: ({ method, url: { pathname } }) => {
    if (pathname === "/oauth/v2/accessToken") return "refresh";
    if (pathname === "/rest/posts" || pathname.endsWith("/comments")) {
      return method === "POST" ? "submit" : "look-up";
    }
    if (method !== "GET") return "step";
    return /^\/rest\/(?:images|videos|documents)\//.test(pathname) ? "status" : "read";
  },
  keyOf: () => null,
};
