import { googleConsent, PREFIX } from "../google/consent.ts";

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
];

export const consent = googleConsent({
  platform: "youtube",
  name: "YouTube",
  hint: "On Google's own page each permission has a box, and the channel is chosen there. An account with “no channel” in its name has none, and videos of one with “private uploads” stay private.",
  scopes: SCOPES,
});
