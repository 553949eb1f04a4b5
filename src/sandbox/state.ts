import { DurableObject } from "cloudflare:workers";
import type { FeedTeam } from "./kit/feed-team.ts";
import type { FeedFilter, FeedPost } from "./kit/store.ts";
import type { FeedFile, Simulation } from "./simulation.ts";
import type { Arrival, Delivery, Receiver, ReceiverAnswer } from "./webhook/inbox.ts";

/** The Worker loads this class at every start, so the simulation of all platforms is imported on the first call. */
export class SandboxState extends DurableObject<unknown> {
  #simulation: Simulation | null = null;

  async #open(): Promise<Simulation> {
    const { Simulation } = await import("./simulation.ts");
    this.#simulation ??= new Simulation(this.ctx.storage);
    return this.#simulation;
  }

  override async fetch(request: Request): Promise<Response> {
    return (await this.#open()).fetch(request);
  }

  async listPosts(filter: FeedFilter): Promise<FeedPost[]> {
    return (await this.#open()).listPosts(filter);
  }

  async postByHand(accountId: string, text: string): Promise<boolean> {
    return (await this.#open()).postByHand(accountId, text);
  }

  async readMedia(id: number, teamId: FeedTeam, rangeHeader?: string): Promise<FeedFile | null> {
    return (await this.#open()).readMedia(id, teamId, rangeHeader);
  }

  async reset(teamId: FeedTeam): Promise<void> {
    await (await this.#open()).reset(teamId);
  }

  async takeWebhook(delivery: Delivery, now: Date): Promise<ReceiverAnswer> {
    return (await this.#open()).takeWebhook(delivery, now);
  }

  async readReceiver(): Promise<{ receiver: Receiver; arrivals: Arrival[] }> {
    return (await this.#open()).readReceiver();
  }

  async changeReceiver(receiver: Receiver): Promise<void> {
    await (await this.#open()).changeReceiver(receiver);
  }
}

export const theSandbox = (namespace: DurableObjectNamespace<SandboxState>) =>
  namespace.getByName("sandbox");
