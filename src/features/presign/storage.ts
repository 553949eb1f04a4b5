import { AwsV4Signer } from "aws4fetch";
import type { StorageAccess } from "../../config.ts";
import { SECOND } from "../../core/time.ts";
import type { Part } from "./rules.ts";

/**
 * The time of a signature, in whole seconds. Storage has a clock of its own, so this is the real time, also
 * where ours has been moved.
 */
interface SignedAt {
  /** Such as 20261201T090000Z. */
  datetime: string;
  lifeMs: number;
}

export const toDatetime = (at: Date): string => at.toISOString().replace(/[-:]|\.\d{3}/g, "");

/** Signs addresses of one call. The keys that are derived for its day are made once. */
export class StorageSigner {
  private readonly access: StorageAccess;
  private readonly time: SignedAt;
  private readonly cache = new Map<string, ArrayBuffer>();

  constructor(access: StorageAccess, time: SignedAt) {
    this.access = access;
    this.time = time;
  }

  /**
   * The address to which one object is put, and the headers that must be sent there: nothing longer, of another
   * type, or in the place of something that is there already is taken.
   */
  async putObject(objectKey: string, { sizeBytes, mime }: { sizeBytes: number; mime: string }) {
    const uploadHeaders = {
      "content-type": mime,
      "content-length": String(sizeBytes),
      "if-none-match": "*",
    };
    return { uploadUrl: await this.sign(objectKey, {}, uploadHeaders), uploadHeaders };
  }

  /** The addresses to which the parts of an object are put. */
  putParts(objectKey: string, uploadId: string, parts: readonly Part[]) {
    return Promise.all(
      parts.map(async ({ partNumber, size }) => {
        const query = { uploadId, partNumber: String(partNumber) };
        const headers = { "content-length": String(size) };
        return { partNumber, uploadUrl: await this.sign(objectKey, query, headers), size };
      }),
    );
  }

  private async sign(
    objectKey: string,
    query: Record<string, string>,
    headers: Record<string, string>,
  ): Promise<string> {
    const { endpoint, ...key } = this.access;
    const { datetime, lifeMs } = this.time;
    const expires = { "X-Amz-Expires": String(lifeMs / SECOND) };
    const search = new URLSearchParams({ ...expires, ...query });
    const signer = new AwsV4Signer({
      ...key,
      method: "PUT",
      url: `${endpoint}/${objectKey}?${search}`,
      headers,
      service: "s3",
      // The one region of R2.
      region: "auto",
      cache: this.cache,
      datetime,
      signQuery: true,
      allHeaders: true,
    });
    const { url } = await signer.sign();
    return String(url);
  }
}
