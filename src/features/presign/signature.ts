import { isSigned, sign } from "../../core/signature.ts";
import type { Deps } from "../../deps.ts";

export const STORAGE_ACTIONS = ["complete", "abort"] as const;
export type StorageAction = (typeof STORAGE_ACTIONS)[number];

interface StorageCall {
  action: StorageAction;
  id: number;
  /** Epoch seconds. */
  expires: number;
}

const signedText = ({ action, id, expires }: StorageCall) => `storage|${action}|${id}|${expires}`;

export async function storagePath(
  { config }: Pick<Deps, "config">,
  call: StorageCall,
): Promise<string> {
  const signature = await sign(config.signingKey, signedText(call));
  return `/storage/${call.action}/${call.id}?expires=${call.expires}&signature=${signature}`;
}

export async function judgeStorageCall(
  { config, now }: Pick<Deps, "config" | "now">,
  call: StorageCall,
  signature: string,
): Promise<"good" | "expired" | "forged"> {
  if (!(await isSigned(config.signingKey, signedText(call), signature))) return "forged";
  return call.expires * 1_000 <= now().getTime() ? "expired" : "good";
}
