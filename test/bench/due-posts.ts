import type { Bundle } from "./bundle.ts";
import { type Instance, startAkimbo } from "./instance.ts";
import { cpuMs } from "./process-cost.ts";
import { atMost, note, type Row } from "./report.ts";
import { createTeam } from "./team.ts";
import type { Workspace } from "./workspace.ts";

const MAX_CPU_SECONDS = 1.5;
const MAX_TICK_SECONDS = 30;
/** Within the look-ahead of a tick, and far enough ahead that nothing is published meanwhile. */
const DUE_AFTER_MS = 70_000;

/**
 * Stands before the Worker and lets a call stand for the cron trigger. The simulated queue does not hold
 * as many messages, so they are counted here instead.
 */
const TICKER = `
import worker from "./worker.js";
export * from "./worker.js";
export default { ...worker, fetch: async (request, env, context) => {
  let sent = 0;
  const PUBLISH = { sendBatch: async (messages) => { sent += [...messages].length; } };
  await worker.scheduled({ cron: "* * * * *" }, { ...env, PUBLISH }, context);
  return new Response(String(sent));
} };`;

/** Answers how many messages were sent. */
async function tick({ url }: Instance): Promise<number> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`The tick ended with status ${answer.status}`);
  return Number(await answer.text());
}

async function planPosts(instance: Instance, teamId: number, posts: number): Promise<void> {
  const now = Date.now();
  await instance.store([
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${posts})
      INSERT INTO uploads (team_id, account_id, platform, status, status_group, description, settings,
        media, sort_at, created_at, scheduled_for, due_at)
      SELECT ${teamId}, 'acc_due', 'bluesky', 'scheduled', 'scheduled', 'Post ' || i, '{}', '[]',
        ${now + DUE_AFTER_MS}, ${now}, ${now + DUE_AFTER_MS}, ${now + DUE_AFTER_MS} FROM n`,
  ]);
}

/** Measures one tick when very many posts are due at the same time. */
export async function measureDuePosts(
  workspace: Workspace,
  bundle: Bundle,
  posts: number,
): Promise<Row[]> {
  const instance = await startAkimbo(workspace, { bundle, entry: TICKER });
  const team = await createTeam(instance, 1);
  await tick(instance);
  await planPosts(instance, team.id, posts);
  const cpuBefore = cpuMs(instance.pid);
  const startedAt = performance.now();
  const sent = await tick(instance);
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuSeconds = (cpuMs(instance.pid) - cpuBefore) / 1_000;
  await instance.stop();
  const what = `${posts.toLocaleString("en")} posts due in one second`;
  return [
    atMost(`${what}: CPU to claim and enqueue`, cpuSeconds, MAX_CPU_SECONDS, " s"),
    atMost(`${what}: the tick`, seconds, MAX_TICK_SECONDS, " s"),
    note("messages", String(sent)),
    note("round trips", `${Math.ceil(posts / 1_000) + 1}`),
  ];
}
