import { AwsClient } from "aws4fetch";
import { LOCAL_STORAGE, localStorageVars } from "../../src/cli/local-storage.ts";
import { toDatetime } from "../../src/features/presign/rules.ts";
import { StorageSigner } from "../../src/features/presign/storage.ts";

/**
 * Signs as the service does whose key of the local bucket it is, at another time where one is given.
 *
 * @param origin where storage takes PUTs
 */
export function localSigner(origin: string, signedAt = new Date()): StorageSigner {
  const { STORAGE_ENDPOINT = "" } = localStorageVars(Number(new URL(origin).port));
  return new StorageSigner(
    { ...LOCAL_STORAGE, endpoint: STORAGE_ENDPOINT },
    { datetime: toDatetime(signedAt), lifeMs: 3_600_000 },
  );
}

/** Puts bytes in an object's place, which no presigned address allows; the status. */
export async function overwrite(
  origin: string,
  key: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<number> {
  const { STORAGE_ENDPOINT } = localStorageVars(Number(new URL(origin).port));
  const client = new AwsClient({ ...LOCAL_STORAGE, service: "s3", region: "auto" });
  const answer = await client.fetch(`${STORAGE_ENDPOINT}/${key}`, { method: "PUT", body: bytes });
  await answer.text();
  return answer.status;
}
