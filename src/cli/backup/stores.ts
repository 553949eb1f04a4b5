import * as z from "zod";
import { isPrivateUrl } from "../../core/variables.ts";
import { INDEX } from "../../features/backup/rules.ts";
import { type BackupStore, bucketStore, s3Store } from "../../features/backup/store.ts";
import type { AccountApi } from "../account-api.ts";
import type { Place } from "../d1.ts";
import { parseJson } from "../json.ts";
import { Problem } from "../program.ts";
import { readLocalVars } from "../team-database.ts";
import type { Database } from "./database.ts";

/** The storage of BACKUP_ENDPOINT where its keys are known here, else the bucket of the instance. */
export async function openStore(
  place: Place,
  { bucket, account }: Pick<Database, "bucket" | "account">,
) {
  const vars = { ...(place.kind === "local" ? await readLocalVars() : {}), ...process.env };
  const {
    BACKUP_ENDPOINT: endpoint,
    BACKUP_ACCESS_KEY_ID: accessKeyId,
    BACKUP_SECRET_ACCESS_KEY: secretAccessKey,
  } = vars;
  if (endpoint && !(URL.canParse(endpoint) && isPrivateUrl(endpoint))) {
    throw new Problem("BACKUP_ENDPOINT must be an https address, or http to localhost.");
  }
  if (endpoint && accessKeyId && secretAccessKey) {
    const access = { endpoint: endpoint.replace(/\/+$/, ""), accessKeyId, secretAccessKey };
    return s3Store(access, (input, init) => fetch(input, init));
  }
  if (endpoint) {
    throw new Problem(
      "BACKUP_ENDPOINT is set, so its keys are needed too: BACKUP_ACCESS_KEY_ID and BACKUP_SECRET_ACCESS_KEY.",
    );
  }
  if (account) return accountStore(account);
  if (!bucket) throw new Error("A local instance has its bucket.");
  return bucketStore(bucket);
}

const index = z.object({ backups: z.array(z.string()) });

/** The account's API puts and gets single objects. What it lists is in no document: the list of backups is an object too. */
function accountStore(account: AccountApi): BackupStore {
  return {
    put: account.putObject,
    get: account.getObject,
    has: async (key) => (await account.getObject(key)) !== null,
    listFolders: async () => {
      const bytes = await account.getObject(INDEX);
      const { data } = index.safeParse(bytes && parseJson(new TextDecoder().decode(bytes)));
      return data?.backups ?? [];
    },
    listKeys: async () => [],
    delete: async (keys) => {
      for (const key of keys) await account.deleteObject(key);
    },
  };
}
