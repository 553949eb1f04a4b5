import { standardBegin, standardFinish, type TokenServer } from "../kit/consents.ts";
import { API } from "./api.ts";
import { identify } from "./auth.ts";
import { scopes } from "./capabilities.ts";

const SERVER: TokenServer = {
  platform: "X",
  issuer: "https://x.com",
  tokenEndpoint: `${API}/2/oauth2/token`,
  clientAuth: "basic",
  hasPkce: true,
};

/** @see https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code */
export const begin = standardBegin(
  "https://x.com/i/oauth2/authorize",
  () => ({ scope: [...scopes.required, ...scopes.optional].join(" ") }),
  SERVER,
);

export const finish = standardFinish(SERVER, scopes, identify);
