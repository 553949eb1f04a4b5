import { isSigned, sign } from "../core/signature.ts";

/** A simulated consent page, as a person is sent to it. */
interface ConsentPath {
  teamId: number;
  /** The address of the platform's own page. */
  url: string;
  /** The account that the sign-in begins with; null for whichever the page suggests. */
  name: string | null;
}

const textOf = ({ teamId, url, name }: ConsentPath): string =>
  `sandbox consent|${JSON.stringify([teamId, url, name])}`;

/** The path under which the sandbox shows the simulated page. */
export async function sandboxConsentPath(signingKey: string, page: ConsentPath): Promise<string> {
  const signature = await sign(signingKey, textOf(page));
  const { teamId, url, name } = page;
  const query = new URLSearchParams({ team: String(teamId), signature, to: url });
  if (name !== null) query.set("name", name);
  return `/sandbox/consent?${query}`;
}

/** Reverses `sandboxConsentPath`; null for an address that we did not make. */
export async function readConsentPath(
  signingKey: string,
  query: URLSearchParams,
): Promise<ConsentPath | null> {
  const teamId = Number(query.get("team"));
  const page = { teamId, url: query.get("to") ?? "", name: query.get("name") };
  const signature = query.get("signature") ?? "";
  return (await isSigned(signingKey, textOf(page), signature)) ? page : null;
}
