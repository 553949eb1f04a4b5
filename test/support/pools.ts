import { env } from "cloudflare:workers";
import {
  type Answer,
  connectSandbox,
  createMember,
  type Fields,
  form,
  Harness,
  type Member,
} from "./harness.ts";
import { minutesToNextWork } from "./ticks.ts";

export interface Slot {
  id: string;
  time: string;
  days: number[];
  accountIds: string[];
  nextAt: string | null;
}

export interface Pool {
  id: string;
  timezone: string;
  isActive: boolean;
  slots: Slot[];
  _count: { items: number };
}

export const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

/** The chores of an hour want several ticks. */
const MAX_QUIET_MINUTES = 8;

/** A team with an account of the sandbox and pools. */
export class PoolTeam {
  readonly harness: Harness;
  readonly member: Member;
  readonly accountId: string;

  private constructor(harness: Harness, member: Member, accountId: string) {
    this.harness = harness;
    this.member = member;
    this.accountId = accountId;
  }

  static async make(harness = new Harness(), platform = "bluesky"): Promise<PoolTeam> {
    const member = await createMember();
    const accountId = await connectSandbox(harness, member, "Ada", platform);
    return new PoolTeam(harness, member, accountId);
  }

  call(method: string, path: string, json?: unknown, token = this.member.token): Promise<Answer> {
    return this.harness.call(method, path, { token, ...(json === undefined ? {} : { json }) });
  }

  async send(method: string, path: string, json?: unknown): Promise<Answer["body"]> {
    const { status, body } = await this.call(method, path, json);
    if (status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(body)}`);
    return body;
  }

  slot(fields: Partial<Slot> = {}) {
    return { time: "09:30", days: EVERY_DAY, accountIds: [this.accountId], ...fields };
  }

  /** Makes a pool, in UTC and with one slot at 09:30 of every day unless said otherwise. */
  async pool(
    fields: { timezone?: string; isActive?: boolean; slots?: object[] } = {},
  ): Promise<Pool> {
    const slots = fields.slots ?? [this.slot()];
    return (await this.send("POST", "/pools", { name: "Tips", timezone: "UTC", ...fields, slots }))
      .pool;
  }

  add(poolId: string, fields: Fields, headers: Record<string, string> = {}): Promise<Answer> {
    const { token } = this.member;
    const body = form({ title: "A tip", ...fields });
    return this.harness.call("POST", `/pools/${poolId}/videos`, { token, headers, body });
  }

  /** Stores items with a public picture, past the door. */
  async fill(poolId: string, titles: readonly string[]): Promise<void> {
    const { teamId, userId } = this.member;
    await env.DB.prepare(
      `INSERT INTO pool_items (pool_id, team_id, position, state, title, settings, media, origin, added_by,
          may_publish, created_at)
        SELECT ?, ?, key + 1, 'queued', value, '{}', '[]', 'https://akimbo.test', ?, 1, 0 FROM json_each(?)`,
    )
      .bind(Number(poolId), teamId, userId, JSON.stringify(titles))
      .run();
  }

  async items(poolId: string, status?: string) {
    const query = status ? `?status=${status}` : "";
    return (await this.send("GET", `/pools/${poolId}/videos${query}`)).items;
  }

  async firings(poolId: string) {
    return (await this.send("GET", `/pools/${poolId}/firings`)).firings;
  }

  /** Moves the clock to an instant. */
  moveTo(instant: string): void {
    this.harness.advance((Date.parse(instant) - Date.now()) / 1_000);
  }

  /** The ticks up to an instant that find something to do, and some of the others, with all that comes of them. */
  async runUntil(instant: string): Promise<void> {
    const until = Date.parse(instant);
    while (Date.now() < until) {
      const left = Math.max(1, (until - Date.now()) / 60_000);
      const max = Math.min(left, MAX_QUIET_MINUTES);
      this.harness.advance(60 * (await minutesToNextWork(this.member.teamId, max)));
      await this.harness.tick();
      await this.harness.drain();
    }
  }
}
