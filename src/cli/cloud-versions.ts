import * as z from "zod";
import { Problem } from "./program.ts";
import { readComplaint, requireWrangler, runWrangler } from "./wrangler.ts";

/** Share of the calls that a version answers, in percent. */
export interface Share {
  id: string;
  percentage: number;
}

const deployment = z.object({
  versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
});
const bookmark = z.object({ bookmark: z.string() });

const NO_WORKER = /This Worker does not exist|\[code: 1000[79]0?\]|\[code: 10090\]/;

const toShares = ({ versions }: z.infer<typeof deployment>): Share[] =>
  versions.map(({ version_id: id, percentage }) => ({ id, percentage }));

/** What runs; null for a Worker that was never deployed. */
export async function findRunning(worker: string): Promise<Share[] | null> {
  const result = await runWrangler(["deployments", "status", "--json", "--name", worker]);
  if (result.code === 0) return toShares(deployment.parse(JSON.parse(result.stdout)));
  if (NO_WORKER.test(result.stdout + result.stderr)) return null;
  throw new Problem(`Looking for what runs failed.\n${readComplaint(result)}`);
}

/** The newest ten, oldest first. */
export async function listDeployments(worker: string): Promise<Share[][]> {
  const output = await requireWrangler("Listing the deployments", [
    ...["deployments", "list", "--json", "--name", worker],
  ]);
  return z.array(deployment).parse(JSON.parse(output)).map(toShares);
}

export async function shareCalls(
  worker: string,
  shares: readonly Share[],
  message: string,
): Promise<void> {
  await requireWrangler("Sharing the calls between versions", [
    ...["versions", "deploy", ...shares.map(({ id, percentage }) => `${id}@${percentage}`)],
    ...["--yes", "--name", worker, "--message", message],
  ]);
}

/** Schedules, queues and domains, which belong to no version. */
export async function deployTriggers(config: string): Promise<void> {
  await requireWrangler("Setting the triggers", ["triggers", "deploy", "--config", config]);
}

/** The point in time to which the database can go back: now. Null when Cloudflare does not say. */
export async function findBookmark(config: string): Promise<string | null> {
  const command = ["d1", "time-travel", "info", "DB", "--json", "--config", config];
  const result = await runWrangler(command);
  if (result.code !== 0) return null;
  return bookmark.safeParse(JSON.parse(result.stdout)).data?.bookmark ?? null;
}
