import { isSigned, sign } from "../../core/signature.ts";
import type { Deps } from "../../deps.ts";

type Keyed = Pick<Deps, "config">;

const textOf = (id: number): string => `connection link|${id}`;

/** The token of a link: its id, signed, so that it can be shown again without being stored. */
export const linkTokenOf = async ({ config }: Keyed, id: number): Promise<string> =>
  `${id}-${await sign(config.signingKey, textOf(id))}`;

/** The path of a link's page. */
export const linkPath = (token: string): string => `/connect/${token}`;

export const linkPathOf = async (deps: Keyed, id: number): Promise<string> =>
  linkPath(await linkTokenOf(deps, id));

/** Returns the id of a link by its token; null for a forged one. */
export async function readLinkToken({ config }: Keyed, token: string): Promise<number | null> {
  const [, id = "", signature = ""] = /^([1-9]\d{0,14})-([0-9a-f]{64})$/.exec(token) ?? [];
  return (await isSigned(config.signingKey, textOf(Number(id)), signature)) ? Number(id) : null;
}
