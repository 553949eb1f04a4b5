import { env } from "cloudflare:workers";
import type { Config } from "../../../src/config.ts";
import { creditDrift } from "../../../src/features/credits/nightly.ts";
import { xSimulator } from "../../../src/sandbox/x/index.ts";
import { connectSandbox, createMember, type Fields, harnessWith } from "../../support/harness.ts";
import { type AccountStage, stageOf, temporary } from "../../support/stage.ts";

export interface Stage extends AccountStage {
  /** Publishes a post and returns its record. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the record holds
  publish(fields?: Fields): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  credits(): Promise<any>;
  ledger(): Promise<{ reference: string; kind: string; included: number; purchased: number }[]>;
}

export async function onStage(
  plan: "basic" | "pro" | "scale" | null = "basic",
  config: Partial<Config> = {},
  platform = "x",
): Promise<Stage> {
  const harness = harnessWith(config);
  const member = await createMember();
  const { token, teamId } = member;
  await setPlan(teamId, plan);
  const accountId = await connectSandbox(harness, member, "Ada", platform);
  const stage: Stage = {
    ...stageOf(harness, member, accountId, () => ({ title: "Hello" })),
    publish: async (fields) => {
      const id = await stage.post(fields);
      await finish(stage);
      return stage.read(id);
    },
    credits: async () => (await harness.call("GET", "/x-credits", { token })).body.data.balance,
    ledger: async () => {
      const { results } = await env.DB.prepare(
        "SELECT reference, kind, included, purchased FROM credit_ledger WHERE team_id = ? ORDER BY at, reference, kind",
      )
        .bind(teamId)
        .all();
      return results as never;
    },
  };
  return stage;
}

/** X answers with this status during `work`. */
export const whileDown = (work: () => Promise<unknown>, status = 503) =>
  temporary(xSimulator, async () => Response.json({ title: "No" }, { status }), work);

export const setPlan = (teamId: number, plan: string | null) =>
  env.DB.prepare("UPDATE teams SET plan = ? WHERE id = ?").bind(plan, teamId).run();

export const retry = async ({ harness }: Stage, id: number): Promise<void> => {
  await env.DB.prepare(
    `UPDATE uploads SET status = 'pending', status_group = 'pending', attempt = attempt + 1,
       stage = 'preparing', bookmark = NULL, backoffs = 0, due_at = ?, progressed_at = NULL,
       lease_until = NULL, submitted_at = NULL WHERE id = ?`,
  )
    .bind(Date.now(), id)
    .run();
  await harness.consume([{ kind: "publish", uploadId: id }]);
};

/** Runs what is due; the rest waits for cron. */
export async function finish({ harness }: Pick<Stage, "harness">): Promise<void> {
  for (let minute = 0; minute < 15; minute++) {
    await harness.drain(2_000);
    const [waiting] = (
      await env.DB.prepare(
        "SELECT 1 FROM uploads WHERE status IN ('pending', 'processing') LIMIT 1",
      ).all()
    ).results;
    if (!waiting) return;
    harness.advance(60);
    await harness.tick();
  }
}

export async function drifts({ harness }: Pick<Stage, "harness">) {
  const all = [];
  let after: number | null = 0;
  while (after !== null) {
    const page = await creditDrift(harness.deps, after);
    all.push(...page.drifts);
    after = page.next;
  }
  return all;
}
