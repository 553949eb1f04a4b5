import { env } from "cloudflare:workers";
import { createSandboxFetch } from "../../src/sandbox/fetch.ts";

const REDIRECT = "https://akimbo.test/oauth/callback/it";
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** Ada of the team agrees to these permissions on the platform's page. */
export async function grant(
  teamId: number,
  page: string,
  token: string,
  scopes: string[],
  separator = " ",
) {
  const fetch = createSandboxFetch(env.SANDBOX_STATE, {
    teamId,
    accountId: null,
    uploadId: null,
  });
  const app = { client_id: "client-1", client_secret: "secret" };
  const address = new URL(page);
  const query = {
    client_id: app.client_id,
    response_type: "code",
    redirect_uri: REDIRECT,
    state: "state-1",
    scope: scopes.join(separator),
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  const body = new URLSearchParams({ name: `Ada ${teamId}`, decision: "allow" });
  for (const scope of scopes) body.append("scope", scope);
  const agreed = await fetch(address.href, { method: "POST", body, redirect: "manual" });
  const code = new URL(agreed.headers.get("location") ?? "").searchParams.get("code") ?? "";
  const exchanged = await fetch(token, {
    method: "POST",
    headers: page.includes("pinterest")
      ? { authorization: `Basic ${btoa(`${app.client_id}:${app.client_secret}`)}` }
      : {},
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: REDIRECT,
      ...(page.includes("pinterest") ? {} : app),
      ...(page.includes("google") ? { code_verifier: VERIFIER } : {}),
    }),
  });
  if (exchanged.status !== 200) throw new Error(await exchanged.text());
}

const GOOGLE = "https://www.googleapis.com/auth/youtube";

export const grantDeleting = {
  youtube: (teamId: number) =>
    grant(
      teamId,
      "https://accounts.google.com/o/oauth2/v2/auth",
      "https://oauth2.googleapis.com/token",
      [`${GOOGLE}.upload`, `${GOOGLE}.readonly`, `${GOOGLE}.force-ssl`],
    ),
  threads: (teamId: number) =>
    grant(
      teamId,
      "https://threads.net/oauth/authorize",
      "https://graph.threads.net/oauth/access_token",
      ["threads_basic", "threads_content_publish", "threads_delete"],
      ",",
    ),
};
