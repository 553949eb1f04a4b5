import type { Deps } from "../../deps.ts";
import type { Connected } from "../../platforms/login.ts";
import { reviveCredentials } from "../logins/platform-access.ts";

interface ConsentMemory {
  /** The code verifier of PKCE. */
  verifier: string;
  /** Values that the connector needs when the person returns. */
  memory: Record<string, string>;
}

export interface Choice {
  accounts: Connected[];
  missingScopes: string[];
}

interface Outcome {
  accountIds: string[];
}

const boundTo = (consentId: number) => `${consentId}|consent`;

/** Encrypts an attempt's secrets, so that they decrypt for this attempt only. */
export const sealMemory = (
  { cipher }: Pick<Deps, "cipher">,
  consentId: number,
  memory: ConsentMemory | Choice | Outcome,
): Promise<string> => cipher.encrypt(JSON.stringify(memory), boundTo(consentId));

const open = async (
  { cipher }: Pick<Deps, "cipher">,
  { id, memory }: { id: number; memory: string | null },
): Promise<unknown> => JSON.parse(await cipher.decrypt(memory ?? "", boundTo(id)));

export const openMemory = async (
  deps: Pick<Deps, "cipher">,
  consent: { id: number; memory: string | null },
): Promise<ConsentMemory> => (await open(deps, consent)) as ConsentMemory;

export async function openChoice(
  deps: Pick<Deps, "cipher">,
  consent: { id: number; memory: string | null },
): Promise<Choice> {
  const { accounts, missingScopes } = (await open(deps, consent)) as Choice;
  return {
    accounts: accounts.map(({ profile, credentials }) => ({
      profile,
      credentials: reviveCredentials(credentials),
    })),
    missingScopes,
  };
}

export async function openDone(
  deps: Pick<Deps, "cipher">,
  consent: { id: number; memory: string | null },
): Promise<string[]> {
  const { accountIds } = (await open(deps, consent)) as Outcome;
  return accountIds;
}
