import { isPlatform, type Platform } from "../core/platforms.ts";
import { isSigned, sign } from "../core/signature.ts";

interface ConsentPath {
  teamId: number;
  platform: Platform;
  /** The address of the real platform's consent page. */
  url: string;
  /** The suggested account; null lets the page choose. */
  name: string | null;
}

const textOf = ({ teamId, platform, url, name }: ConsentPath): string =>
  `sandbox consent|${JSON.stringify([teamId, platform, url, name])}`;

export async function sandboxConsentPath(signingKey: string, page: ConsentPath): Promise<string> {
  const signature = await sign(signingKey, textOf(page));
  const { teamId, platform, url, name } = page;
  const query = new URLSearchParams({ team: String(teamId), platform, signature, to: url });
  if (name !== null) query.set("name", name);
  return `/sandbox/consent?${query}`;
}

/** Null when the signature does not match. */
export async function readConsentPath(
  signingKey: string,
  query: URLSearchParams,
): Promise<ConsentPath | null> {
  const teamId = Number(query.get("team"));
  const platform = query.get("platform") ?? "";
  if (!isPlatform(platform)) return null;
  const page = { teamId, platform, url: query.get("to") ?? "", name: query.get("name") };
  const signature = query.get("signature") ?? "";
  return (await isSigned(signingKey, textOf(page), signature)) ? page : null;
}
