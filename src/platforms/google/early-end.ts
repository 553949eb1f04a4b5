import type { EarlyEnd } from "../login.ts";

/**
 * Google ends refresh tokens of external apps in "Testing" after seven days, which is noticed up to a day later.
 * @see https://developers.google.com/identity/protocols/oauth2#expiration
 */
export const earlyEnd: EarlyEnd = {
  withinDays: 8,
  advice:
    'Google ends logins of an app whose consent screen is in "Testing" after seven days. The owner of this instance has to publish the app in the Google Cloud console, under Google Auth Platform, Audience. Then connect the account again.',
};
