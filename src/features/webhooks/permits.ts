import { SECOND } from "../../core/time.ts";
import { ANSWER_MS } from "../../core/webhooks.ts";
import type { Deps } from "../../deps.ts";
import type { Permit } from "../../durable/delivery-gate.ts";

/** Spec is silent: a slow endpoint must leave connections for others. */
const PER_ENDPOINT = 2;
/** The longest attempt and the wait before it. */
const LEASE_MS = ANSWER_MS + 5 * SECOND;
const WAIT_MS = 300;
/** Free permits are returned together after this delay. */
const RETURN_MS = SECOND / 4;

type Gated = Pick<Deps, "deliveryGate" | "log" | "wait">;

const gateOf = ({ deliveryGate }: Gated) => deliveryGate.getByName("webhooks");

/** One permit per concurrent request to an endpoint. */
export class Permits {
  private readonly deps: Gated;
  private readonly free: Permit[];
  private readonly granted: ReadonlySet<number>;
  private leaving: Permit[] = [];

  private constructor(deps: Gated, permits: readonly Permit[]) {
    this.deps = deps;
    this.free = [...permits];
    this.granted = new Set(permits.map(({ webhookId }) => webhookId));
  }

  /** When the delivery gate does not answer, the batch gets all requested permits. */
  static async take(
    deps: Gated,
    webhookIds: readonly number[],
    { isPatient }: { isPatient: boolean },
  ): Promise<Permits> {
    const counts = [...Map.groupBy(webhookIds, (id) => id)].map(
      ([id, { length }]) => [id, Math.min(length, PER_ENDPOINT)] as const,
    );
    if (counts.length === 0) return new Permits(deps, []);
    const waitMs = isPatient ? WAIT_MS : 0;
    try {
      const request = { counts, max: PER_ENDPOINT, leaseMs: LEASE_MS, waitMs };
      return new Permits(deps, await gateOf(deps).take(request));
    } catch (error) {
      deps.log({ event: "delivery_gate.failed", error: String(error) });
      const all = counts.flatMap(([webhookId, count]) =>
        Array.from({ length: count }, () => ({ id: "", webhookId })),
      );
      return new Permits(deps, all);
    }
  }

  /** True when other batches have all the webhook's permits. */
  isTaken(webhookId: number): boolean {
    return !this.granted.has(webhookId);
  }

  isFree(webhookId: number): boolean {
    return this.free.some((permit) => permit.webhookId === webhookId);
  }

  use(webhookId: number): Permit | undefined {
    const index = this.free.findIndex((permit) => permit.webhookId === webhookId);
    return index < 0 ? undefined : this.free.splice(index, 1)[0];
  }

  keep(permit: Permit): void {
    this.free.push(permit);
  }

  async leave(permit: Permit): Promise<void> {
    this.leaving.push(permit);
    if (this.leaving.length > 1) return;
    await this.deps.wait(RETURN_MS);
    await this.giveBack(this.leaving.splice(0));
  }

  async close(): Promise<void> {
    await this.giveBack([...this.leaving.splice(0), ...this.free.splice(0)]);
  }

  async giveBack(permits: readonly Permit[]): Promise<void> {
    if (permits.length === 0) return;
    try {
      await gateOf(this.deps).giveBack(permits);
    } catch (error) {
      this.deps.log({ event: "delivery_gate.failed", error: String(error) });
    }
  }
}
