import { ok, refuse } from "../../core/result.ts";
import { googleConsent } from "../google/consent.ts";
import { consentRefusal } from "../kit/consents.ts";
import { toConsentRefusal } from "../kit/logins.ts";
import { findChannel, NO_CHANNEL } from "./auth.ts";
import { scopes } from "./capabilities.ts";

export const { begin, finish } = googleConsent({
  platform: "YouTube",
  scopes,
  account: "channel",
  find: async (fetch, credentials) => {
    const channel = await findChannel(fetch, credentials);
    if (!channel.ok) return refuse(toConsentRefusal(channel.error));
    return channel.value
      ? ok([channel.value])
      : consentRefusal(
          "no_account",
          `${NO_CHANNEL} Create one at https://www.youtube.com/create_channel, or sign in to Google as another account.`,
        );
  },
});
