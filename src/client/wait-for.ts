import type { Client } from "openapi-fetch";
import type { components, paths } from "./.generated/api.ts";
import { answerOf } from "./error.ts";
import { type Sleep, sleepFor } from "./retry.ts";

type Upload = components["schemas"]["Upload"];

export interface WaitOptions {
  /** Default: ten minutes. */
  timeoutMs?: number;
  signal?: AbortSignal;
  onChange?(upload: Upload): void;
}

/** A post has not ended in time. It goes on at the instance. */
export class WaitTimeout extends Error {
  override readonly name = "WaitTimeout";
  /** The post as it was read last. */
  readonly upload: Upload;

  constructor(upload: Upload, timeoutMs: number) {
    super(`Post ${upload.id} is ${upload.status} after ${timeoutMs / 1_000} seconds. It goes on.`);
    this.upload = upload;
  }
}

const TIMEOUT_MS = 600_000;
/** Waits between polls grow, so that polls stay below the rate limit. */
const FIRST_POLL_MS = 400;
const LONGEST_POLL_MS = 4_000;
const POLL_GROWTH = 1.25;

const AT_REST: readonly string[] = [
  "completed",
  "failed",
  "scheduled",
  "draft",
  "pending_approval",
];

/** True when nothing happens to a post before a person or the time of its plan comes. */
export const isAtRest = (status: string): boolean => AT_REST.includes(status);

/** @throws WaitTimeout, AkimboError */
export async function waitFor(
  client: Client<paths>,
  id: number,
  { timeoutMs = TIMEOUT_MS, signal, onChange = () => {} }: WaitOptions = {},
  sleep: Sleep = sleepFor,
): Promise<Upload> {
  const endsAt = Date.now() + timeoutMs;
  const params = { path: { id: String(id) } };
  let status = "";
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * POLL_GROWTH, LONGEST_POLL_MS)) {
    const call = client.GET("/api/v1/upload/{id}", { params, signal });
    const { data: upload } = await answerOf(call);
    if (upload.status !== status) onChange(upload);
    status = upload.status;
    if (isAtRest(status)) return upload;
    if (Date.now() + pollMs > endsAt) throw new WaitTimeout(upload, timeoutMs);
    await sleep(pollMs, signal);
  }
}
