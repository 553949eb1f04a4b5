import { linkToken, readLinkToken as readToken } from "../../core/link-token.ts";
import type { Deps } from "../../deps.ts";

type Keyed = Pick<Deps, "config">;

const KIND = "connection link";

export const linkTokenOf = ({ config }: Keyed, id: number): Promise<string> =>
  linkToken(config.signingKey, KIND, id);

/** The path of a link's page. */
export const linkPath = (token: string): string => `/connect/${token}`;

export const linkPathOf = async (deps: Keyed, id: number): Promise<string> =>
  linkPath(await linkTokenOf(deps, id));

/** Returns the id of a link by its token; null for a forged one. */
export const readLinkToken = ({ config }: Keyed, token: string): Promise<number | null> =>
  readToken(config.signingKey, KIND, token);
