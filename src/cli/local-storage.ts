import type { Vars } from "./vars.ts";

/** The bucket of wrangler.toml, and the key under which `wrangler dev` serves it: it opens nothing else. */
export const LOCAL_STORAGE = {
  bucket: "akimbo-media",
  accessKeyId: "local",
  secretAccessKey: "local-storage",
};

/** Where `wrangler dev` serves the S3 API of a bucket. */
const S3_PATH = "/cdn-cgi/local/r2/s3/";

/** The variables by which large files go to the local bucket, at this port. */
export function localStorageVars(port: number): Vars {
  return {
    STORAGE_ENDPOINT: `http://localhost:${port}${S3_PATH}${LOCAL_STORAGE.bucket}`,
    R2_ACCESS_KEY_ID: LOCAL_STORAGE.accessKeyId,
    R2_SECRET_ACCESS_KEY: LOCAL_STORAGE.secretAccessKey,
  };
}
