import { isSigned, sign } from "../../core/signature.ts";
import { HOUR } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";

/** How long a signed address works, at least. */
const LIFE_MS = 6 * HOUR;

/** `thumbnail`: a small JPEG made of an image; the others: see `PulledForm`. */
export const MEDIA_VARIANTS = ["original", "thumbnail", "jpeg", "vertical", "labelled"] as const;
export type MediaVariant = (typeof MEDIA_VARIANTS)[number];

interface MediaAddress {
  teamId: number;
  sha256: string;
  variant: MediaVariant;
  /** Epoch seconds. */
  expires: number;
}

const signedText = ({ teamId, sha256, variant, expires }: MediaAddress) =>
  `media|${teamId}|${sha256}|${variant}|${expires}`;

/** A signed path of ours under which a file can be read; the same for an hour, so that it caches. */
export async function mediaPath(
  deps: Pick<Deps, "config" | "now">,
  teamId: number,
  sha256: string,
  variant: MediaVariant = "original",
): Promise<string> {
  const hour = Math.ceil(deps.now().getTime() / HOUR) * HOUR;
  const address = { teamId, sha256, variant, expires: (hour + LIFE_MS) / 1_000 };
  const signature = await sign(deps.config.signingKey, signedText(address));
  return `/media/${teamId}/${sha256}/${variant}?expires=${address.expires}&signature=${signature}`;
}

/** Returns true for an address that we signed and that has not expired. */
export async function isGoodAddress(
  deps: Pick<Deps, "config" | "now">,
  address: MediaAddress,
  signature: string,
): Promise<boolean> {
  const hasExpired = address.expires * 1_000 <= deps.now().getTime();
  return !hasExpired && isSigned(deps.config.signingKey, signedText(address), signature);
}
