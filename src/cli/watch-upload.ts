import { setTimeout as sleep } from "node:timers/promises";
import { isAtRest } from "../client/wait-for.ts";
import type { Api, Upload } from "./api.ts";
import type { Setting } from "./client-command.ts";
import { formatBytes } from "./progress-bar.ts";
import { retrying, TemporaryProblem } from "./retry.ts";

/** Waits between polls grow, so that polls stay below the rate limit. */
const FIRST_POLL_MS = 400;
const LONGEST_POLL_MS = 4_000;
const POLL_GROWTH = 1.25;

export async function watchUpload(
  api: Pick<Api, "getUpload">,
  id: number,
  onLook: (upload: Upload) => void,
): Promise<Upload> {
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * POLL_GROWTH, LONGEST_POLL_MS)) {
    const upload = await retrying(() => api.getUpload(id));
    onLook(upload);
    if (isAtRest(upload.status)) return upload;
    await sleep(pollMs);
  }
}

/**
 * Reports progress on standard error. When the command stops or fails, says that the instance still publishes the
 * posts.
 *
 * @throws Problem when a post cannot be read
 */
export async function waitForUploads(
  api: Pick<Api, "getUpload">,
  ids: readonly number[],
  { host, stopping }: Pick<Setting, "host" | "stopping">,
): Promise<Upload[]> {
  const watch = (id: number) => {
    let shown = "";
    return watchUpload(api, id, (upload) => {
      const state = describeState(upload);
      if (state !== shown && !isAtRest(upload.status)) console.error(`Post ${id}: ${state}`);
      shown = state;
    });
  };
  const [subject, verb, them] = ids.length === 1 ? ["Post", "goes", "it"] : ["Posts", "go", "them"];
  const note = `${subject} ${ids.join(", ")} ${verb} on without this command. To see ${them}: ${host.command} status ${ids.join(" ")}`;
  const say = () => console.error(`\n${note}`);
  stopping.addEventListener("abort", say, { once: true });
  try {
    return await Promise.all(ids.map(watch));
  } catch (error) {
    if (!(error instanceof TemporaryProblem)) throw error;
    throw new TemporaryProblem(`${error.message}\n${note}`);
  } finally {
    stopping.removeEventListener("abort", say);
  }
}

function describeState({ status, progress }: Upload): string {
  if (!progress) return status === "pending" ? "waiting for its turn" : status;
  const { phase, totalBytes } = progress;
  return phase === "sending" && totalBytes > 0 ? `sending ${formatBytes(totalBytes)}` : phase;
}
