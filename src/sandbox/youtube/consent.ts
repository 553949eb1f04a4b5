import { createConsent, readConsentRequest, refusalPage } from "../kit/consent.tsx";
import type { Call } from "../kit/simulator.ts";

const PREFIX = "https://www.googleapis.com/auth/";
export const UPLOAD = `${PREFIX}youtube.upload`;
export const READONLY = `${PREFIX}youtube.readonly`;
export const FORCE_SSL = `${PREFIX}youtube.force-ssl`;
/** These include `UPLOAD` and `READONLY`. */
export const ALL_SCOPES = [`${PREFIX}youtube`, FORCE_SSL];

/** Source: Google, "OAuth 2.0 Scopes for Google APIs", YouTube. */
const SCOPES = [
  ...ALL_SCOPES,
  `${PREFIX}youtube.channel-memberships.creator`,
  READONLY,
  UPLOAD,
  `${PREFIX}youtubepartner`,
  `${PREFIX}youtubepartner-channel-audit`,
  `${PREFIX}yt-analytics.readonly`,
  `${PREFIX}yt-analytics-monetary.readonly`,
  "openid",
  "email",
  "profile",
];

/** When Google issues a refresh token; null means never. */
function refreshNote({ req }: Call): "always" | "once" | null {
  if (req.query("access_type") !== "offline") return null;
  return req.query("prompt")?.split(" ").includes("consent") ? "always" : "once";
}

const refuse = (message: string) =>
  refusalPage(400, `Access blocked: Authorization Error. Error 400: invalid_request. ${message}`);

export const consent = createConsent({
  platform: "youtube",
  name: "YouTube",
  codeSeconds: 600,
  hint: "On Google's own page each permission has a box, and the channel is chosen there. An account with “no channel” in its name has none, and videos of one with “private uploads” stay private.",
  readConsentRequest: (call) => {
    const request = readConsentRequest(call, {
      separator: " ",
      scopes: SCOPES,
      pkce: "optional",
      refuse,
    });
    return { ...request, note: refreshNote(call) };
  },
  extra: (_request, granted) => ({
    iss: "https://accounts.google.com",
    scope: granted.join(" "),
    authuser: "0",
    prompt: "consent",
  }),
  declined: { error: "access_denied" },
});
