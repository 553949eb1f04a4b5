import { setTimeout as sleep } from "node:timers/promises";
import type { Api, Upload } from "./api.ts";
import { retrying } from "./retry.ts";

/** Between two looks at a post, at first and at most: all of them together stay below the rate limit. */
const FIRST_POLL_MS = 400;
const LONGEST_POLL_MS = 4_000;
const POLL_GROWTH = 1.25;

/** States of a post in which nothing more happens now. */
const RESTING: readonly string[] = [
  "completed",
  "failed",
  "scheduled",
  "draft",
  "pending_approval",
];

export const isAtRest = (status: string): boolean => RESTING.includes(status);

/** Looks at a post until nothing more happens to it; `onLook` is called for each look. */
export async function watchUpload(
  api: Pick<Api, "getUpload">,
  id: number,
  onLook: (upload: Upload) => void = () => {},
): Promise<Upload> {
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * POLL_GROWTH, LONGEST_POLL_MS)) {
    const upload = await retrying(() => api.getUpload(id));
    onLook(upload);
    if (isAtRest(upload.status)) return upload;
    await sleep(pollMs);
  }
}
