import type { Vars } from "./vars.ts";

/** `wrangler dev` serves the local bucket under this fixed key only. */
export const LOCAL_STORAGE = {
  bucket: "akimbo-media",
  accessKeyId: "local",
  secretAccessKey: "local-storage",
};

const S3_PATH = "/cdn-cgi/local/r2/s3/";

export function localStorageVars(port: number): Vars {
  return {
    STORAGE_ENDPOINT: `http://localhost:${port}${S3_PATH}${LOCAL_STORAGE.bucket}`,
    R2_ACCESS_KEY_ID: LOCAL_STORAGE.accessKeyId,
    R2_SECRET_ACCESS_KEY: LOCAL_STORAGE.secretAccessKey,
  };
}
