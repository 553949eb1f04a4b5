import { isSigned, sign } from "../../core/signature.ts";
import type { Deps } from "../../deps.ts";

export const STORAGE_ACTIONS = ["complete", "abort"] as const;
export type StorageAction = (typeof STORAGE_ACTIONS)[number];

/** An address at which a multipart upload is ended, as it was asked for. */
interface StorageCall {
  action: StorageAction;
  id: number;
  /** Epoch seconds. */
  expires: number;
}

const signedText = ({ action, id, expires }: StorageCall) => `storage|${action}|${id}|${expires}`;

/** Returns the signed path that completes or aborts a multipart upload. */
export async function storagePath(
  { config }: Pick<Deps, "config">,
  call: StorageCall,
): Promise<string> {
  const signature = await sign(config.signingKey, signedText(call));
  return `/storage/${call.action}/${call.id}?expires=${call.expires}&signature=${signature}`;
}

/** Tells a path of ours, and one that is still good, from any other. */
export async function judgeStorageCall(
  { config, now }: Pick<Deps, "config" | "now">,
  call: StorageCall,
  signature: string,
): Promise<"good" | "expired" | "forged"> {
  if (!(await isSigned(config.signingKey, signedText(call), signature))) return "forged";
  return call.expires * 1_000 <= now().getTime() ? "expired" : "good";
}
