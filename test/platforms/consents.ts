import type { ConsentReturn } from "../../src/platforms/consent.ts";

export const APP = { clientId: "id-1", clientSecret: "secret/1" };

export const REDIRECT = "https://akimbo.test/oauth/callback/it";

/** 43 characters, the least that PKCE allows. */
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
/** Source: RFC 7636, appendix B. */
export const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

export const START = {
  state: "state-1",
  redirectUri: REDIRECT,
  verifier: VERIFIER,
  identifier: null,
  origin: "https://akimbo.test",
};

/** A callback with these parameters and the state. */
export const backWith = (query: Record<string, string>): ConsentReturn => ({
  query: new URLSearchParams({ state: "state-1", ...query }),
  state: "state-1",
  memory: {},
  redirectUri: REDIRECT,
  verifier: VERIFIER,
  origin: "https://akimbo.test",
});

export function readAddress(address: string): { page: string; params: Record<string, string> } {
  const url = new URL(address);
  return { page: url.origin + url.pathname, params: Object.fromEntries(url.searchParams) };
}

export const fieldsOf = (call: { text: string } | undefined): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(call?.text));
