import { googleConsent, PREFIX } from "../google/consent.ts";

export const MANAGE = `${PREFIX}business.manage`;

export const consent = googleConsent({
  platform: "google_business",
  name: "Google Business",
  hint: "Google shows no locations here: they are chosen at Akimbo. A person with “chain of 3” in the name has three locations, the last of which may not publish, one with “no location” has none, the location of “no posts” may not publish, and the project of “no quota” is not approved.",
  scopes: [MANAGE, `${PREFIX}plus.business.manage`],
});
