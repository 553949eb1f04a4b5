import { AwsV4Signer } from "aws4fetch";
import type { StorageAccess } from "../../config.ts";
import { SECOND } from "../../core/time.ts";
import type { Part } from "./rules.ts";

/** Real time, not simulated: storage has its own clock. */
interface SignedAt {
  /** Such as 20261201T090000Z. */
  datetime: string;
  lifeMs: number;
}

/** Derives a day's signing keys once. */
export class StorageSigner {
  private readonly access: StorageAccess;
  private readonly time: SignedAt;
  private readonly cache = new Map<string, ArrayBuffer>();

  constructor(access: StorageAccess, time: SignedAt) {
    this.access = access;
    this.time = time;
  }

  /** Storage accepts a PUT with exactly these headers: no other size or type, no overwriting. */
  async putObject(objectKey: string, { sizeBytes, mime }: { sizeBytes: number; mime: string }) {
    const uploadHeaders = {
      "content-type": mime,
      "content-length": String(sizeBytes),
      "if-none-match": "*",
    };
    return { uploadUrl: await this.sign(objectKey, {}, uploadHeaders), uploadHeaders };
  }

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
      // R2's only region.
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
