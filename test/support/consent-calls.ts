import type { ConsentReturn, ConsentStart } from "../../src/platforms/consent.ts";

export const APP = { clientId: "app id", clientSecret: "app secret" };
const ORIGIN = "https://akimbo.test";
export const REDIRECT = `${ORIGIN}/oauth/callback/there`;
const VERIFIER = "v".repeat(64);

export const START: ConsentStart = {
  state: "the state",
  redirectUri: REDIRECT,
  verifier: VERIFIER,
  identifier: null,
  origin: ORIGIN,
};

/** A person who comes back with these parameters. */
export const back = (query: Record<string, string>): ConsentReturn => ({
  query: new URLSearchParams({ ...query, state: "the state" }),
  state: "the state",
  redirectUri: REDIRECT,
  verifier: VERIFIER,
  memory: {},
  origin: ORIGIN,
});

/** A person who agreed. */
export const BACK = back({ code: "the code" });

/** A call, with the form that it sends. */
export async function readSentForm(request: Request) {
  const url = new URL(request.url);
  const type = request.headers.get("content-type")?.split(";")[0] ?? "";
  const form = type === "" ? new FormData() : await request.formData();
  return {
    method: request.method,
    address: url.origin + url.pathname,
    query: Object.fromEntries(url.searchParams),
    type,
    form: Object.fromEntries(form),
    authorization: request.headers.get("authorization"),
    redirect: request.redirect,
  };
}
