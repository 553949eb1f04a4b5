import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { AccountRow } from "../accounts/table.ts";
import { failWaiting } from "../ending/repo.ts";
import { dropFromSlots } from "../pools/repo/slots.ts";

/**
 * Ends what an account was to take part in, in the batch that ends the account: posts that wait for it
 * fail, and slots go on without it.
 */
export const endPlansOf = (deps: Pick<Deps, "now">, account: AccountRow): Query<unknown>[] => [
  ...failWaiting(deps, account),
  ...dropFromSlots(account),
];
