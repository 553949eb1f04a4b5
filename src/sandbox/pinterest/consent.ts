import { createConsent, readAsked, refusalPage } from "../kit/consent.tsx";

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

/** Pinterest's consent page. It documents neither how long its codes live nor how it reports a refusal. */
export const consent = createConsent({
  platform: "pinterest",
  name: "Pinterest",
  codeSeconds: 600,
  hint: "Pinterest itself grants all or nothing. Leave one out to see what that leads to.",
  readAsked: (call) =>
    readAsked(call, {
      separator: /[ ,]/,
      known: SCOPES,
      refuse: (message) => refusalPage(400, `Something went wrong. ${message}`),
    }),
  declined: { error: "access_denied" },
});
