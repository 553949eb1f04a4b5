import type { Hono } from "hono";
import type { Platform } from "../../core/platforms.ts";
import { createConsent, readConsentRequest, refusalPage } from "../kit/consent.tsx";
import type { Call, SandboxEnv } from "../kit/simulator.ts";
import type { googleTokens } from "./tokens.ts";

export const PREFIX = "https://www.googleapis.com/auth/";

/** When Google issues a refresh token; null means never. */
function refreshNote({ req }: Call): "always" | "once" | null {
  if (req.query("access_type") !== "offline") return null;
  return req.query("prompt")?.split(" ").includes("consent") ? "always" : "once";
}

const refuse = (message: string) =>
  refusalPage(400, `Access blocked: Authorization Error. Error 400: invalid_request. ${message}`);

interface GoogleConsent {
  platform: Platform;
  name: string;
  hint: string;
  scopes: readonly string[];
}

export const googleConsent = ({ scopes, ...page }: GoogleConsent) =>
  createConsent({
    ...page,
    codeSeconds: 600,
    readConsentRequest: (call) => {
      const request = readConsentRequest(call, {
        separator: " ",
        scopes: [...scopes, "openid", "email", "profile"],
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

/** Every platform of Google has these paths on the same hosts. */
export function addLoginPaths(
  app: Hono<SandboxEnv>,
  consent: ReturnType<typeof googleConsent>,
  { grantTokens, revokeTokens }: ReturnType<typeof googleTokens>,
): void {
  app.basePath("/oauth2.googleapis.com").post("/token", grantTokens).post("/revoke", revokeTokens);
  app
    .get("/accounts.google.com/o/oauth2/v2/auth", consent.show)
    .post("/accounts.google.com/o/oauth2/v2/auth", consent.answer);
}
