import { createConsent, readAsked, refusalPage } from "../kit/consent.tsx";

/** Source: TikTok, "Scopes Reference". */
const SCOPES = [
  "user.info.basic",
  "user.info.profile",
  "user.info.stats",
  "video.list",
  "video.publish",
  "video.upload",
];

/** TikTok's consent page, with a switch for each permission. TikTok names no life of its codes. */
export const consent = createConsent({
  platform: "tiktok",
  name: "TikTok",
  codeSeconds: 600,
  hint: "TikTok's own page has switches for permissions, too.",
  readAsked: (call) =>
    readAsked(call, {
      client: "client_key",
      separator: ",",
      known: SCOPES,
      refuse: (message) => refusalPage(400, `Something went wrong. ${message}`),
    }),
  extra: (_asked, granted) => ({ scopes: granted.join(",") }),
  declined: {
    error: "access_denied",
    error_description: "The user has denied the authorization request.",
  },
});
