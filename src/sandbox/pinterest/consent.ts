import { createConsent, readConsentRequest, refusalPage } from "../kit/consent.tsx";

/** Source: Pinterest, "Authorization scopes". */
const SCOPES = [
  "ads:read",
  "ads:write",
  "biz_access:read",
  "biz_access:write",
  "boards:read",
  "boards:read_secret",
  "boards:write",
  "boards:write_secret",
  "catalogs:read",
  "catalogs:write",
  "pins:read",
  "pins:read_secret",
  "pins:write",
  "pins:write_secret",
  "user_accounts:read",
];

/** Pinterest documents neither codes' lifetime nor the answer after a refusal. */
export const consent = createConsent({
  platform: "pinterest",
  name: "Pinterest",
  codeSeconds: 600,
  hint: "Pinterest itself grants all or nothing. Leave one out to see what that leads to.",
  readConsentRequest: (call) =>
    readConsentRequest(call, {
      separator: /[ ,]/,
      scopes: SCOPES,
      refuse: (message) => refusalPage(400, `Something went wrong. ${message}`),
    }),
  declined: { error: "access_denied" },
});
