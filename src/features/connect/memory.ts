import type { Deps } from "../../deps.ts";
import type { Connected } from "../../platforms/login.ts";
import { reviveCredentials } from "../logins/platform-access.ts";
import type { ConsentRow } from "./table.ts";

interface ConsentMemory {
  /** The code verifier of PKCE. */
  verifier: string;
  /** The connector needs these values when the person returns. */
  memory: Record<string, string>;
}

export interface Choice {
  accounts: Connected[];
  missingScopes: string[];
  grantedScopes: string[] | null;
}

interface Outcome {
  accountIds: string[];
}

const boundTo = (consentId: number) => `${consentId}|consent`;

/** The secrets decrypt for this attempt only. */
export const sealMemory = (
  { cipher }: Pick<Deps, "cipher">,
  consentId: number,
  memory: ConsentMemory | Choice | Outcome,
): Promise<string> => cipher.encrypt(JSON.stringify(memory), boundTo(consentId));

type Sealed = Pick<ConsentRow, "id" | "memory">;

const open = async <T>({ cipher }: Pick<Deps, "cipher">, { id, memory }: Sealed): Promise<T> =>
  JSON.parse(await cipher.decrypt(memory ?? "", boundTo(id)));

export const openMemory = (deps: Pick<Deps, "cipher">, consent: Sealed) =>
  open<ConsentMemory>(deps, consent);

export async function openChoice(deps: Pick<Deps, "cipher">, consent: Sealed): Promise<Choice> {
  // Rows of earlier versions have no `grantedScopes`.
  const { accounts, missingScopes, grantedScopes = null } = await open<Choice>(deps, consent);
  return {
    accounts: accounts.map(({ profile, credentials }) => ({
      profile,
      credentials: reviveCredentials(credentials),
    })),
    missingScopes,
    grantedScopes,
  };
}

export async function openDone(deps: Pick<Deps, "cipher">, consent: Sealed): Promise<string[]> {
  return (await open<Outcome>(deps, consent)).accountIds;
}
