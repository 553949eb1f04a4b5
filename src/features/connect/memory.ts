import type { Deps } from "../../deps.ts";
import type { Connected } from "../../platforms/login.ts";
import { reviveCredentials } from "../accounts/platform-access.ts";

/** Secrets that are needed when a person comes back from the consent page. */
interface ConsentMemory {
  /** The secret of PKCE. */
  verifier: string;
  /** The connector's own. */
  memory: Record<string, string>;
}

/** The logins that a person chooses from. */
export interface Choice {
  accounts: Connected[];
  missingScopes: string[];
}

/** The accounts that a try has led to. */
interface Done {
  accountIds: string[];
}

const boundTo = (consentId: number) => `${consentId}|consent`;

/** Encrypts what a try has to remember, so that it opens in no other. */
export const sealMemory = (
  { cipher }: Pick<Deps, "cipher">,
  consentId: number,
  memory: ConsentMemory | Choice | Done,
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
  const { accountIds } = (await open(deps, consent)) as Done;
  return accountIds;
}
