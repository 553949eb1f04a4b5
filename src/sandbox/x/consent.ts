import { createConsent, readConsentRequest, refusalPage } from "../kit/consent.tsx";

/** Source: X, "OAuth 2.0", scopes. */
const SCOPES = [
  "tweet.read",
  "tweet.write",
  "tweet.moderate.write",
  "users.email",
  "users.read",
  "follows.read",
  "follows.write",
  "offline.access",
  "space.read",
  "mute.read",
  "mute.write",
  "like.read",
  "like.write",
  "list.read",
  "list.write",
  "block.read",
  "block.write",
  "bookmark.read",
  "bookmark.write",
  "dm.read",
  "dm.write",
  "media.write",
];

export const consent = createConsent({
  platform: "x",
  name: "X",
  codeSeconds: 30,
  hint: "X itself grants all or nothing. Leave one out to see what that leads to.",
  readConsentRequest: (call) =>
    readConsentRequest(call, {
      separator: " ",
      scopes: SCOPES,
      pkce: "required",
      refuse: (message) => refusalPage(400, `Something went wrong. ${message}`),
    }),
  declined: { error: "access_denied" },
});
