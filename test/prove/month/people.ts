import type { Random } from "../../../src/cli/random.ts";
import { Refusal } from "../ask.ts";
import { addParts, followingOf } from "../parts.ts";
import { call } from "./call.ts";
import { inTurn } from "./in-turn.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, type Service } from "./service.ts";
import { type Account, connectAccount, type Team } from "./teams.ts";

export interface Post {
  text: string;
  team: Team;
  account: Account;
  /** Epoch ms at which it is to go out; null while it waits for an approval that never comes. */
  dueAt: number | null;
  /** Epoch ms of the answer. */
  acceptedAt: number;
  approvedAt: number | null;
  id: number;
}

interface Accepted {
  data: { uploadId: number };
}

/** Words for the simulated platforms, and how often of a thousand posts. */
const STEERING: [word: string, perMille: number][] = [
  [" [sandbox:lost_reply]", 80],
  [" [sandbox:5xx=2]", 80],
  [" [sandbox:content_flagged]", 15],
  [" [sandbox:token_expired]", 15],
  [" [sandbox:account_disconnected]", 3],
];
const PLANNED_SHARE = 0.55;
const APPROVAL_SHARE = 0.1;
const FARTHEST_PLAN_MS = 8 * DAY_MS;
/** The last planned posts leave time to end. */
const REST_MS = 12 * HOUR_MS;
const PARTS_OF = 8;

/** People at the API: they post, plan, approve and connect again what has lost its login. */
export class People {
  readonly posts: Post[] = [];
  readonly refusals: string[] = [];
  /** Texts of posts that were refused, also those that had been accepted before the database was lost. */
  readonly refused = new Set<string>();
  /** Calls that a kill cut off. */
  cutOff = 0;
  reconnected = 0;
  private unanswered: [Post, FormData][] = [];
  private waiting: Post[] = [];
  private readonly teams: readonly Team[];
  private readonly random: Random;
  private readonly end: number;
  private readonly platform: string;
  private sent = 0;

  constructor(teams: readonly Team[], random: Random, end: number, platform: string) {
    this.teams = teams;
    this.random = random;
    this.end = end;
    this.platform = platform;
  }

  async post(service: Service, count: number): Promise<void> {
    await inTurn(Array.from({ length: count }), () => this.postOne(service));
  }

  /** Approves half of what has waited since the last time. The other half is never approved. */
  async approve(service: Service): Promise<void> {
    const some = this.waiting.filter(({ id }) => id % 2 === 0);
    this.waiting = [];
    await inTurn(some, async (post) => {
      try {
        await call({ service, token: post.team.token }, "POST", `/upload/${post.id}/approve`);
        post.dueAt = service.now;
        post.approvedAt = service.now;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        this.refusals.push(`${post.text}: ${error.message}`);
      }
    });
  }

  async reconnect(service: Service): Promise<void> {
    const lost = await service.sql(
      "SELECT id FROM accounts WHERE status <> 'active' AND deleted_at IS NULL",
    );
    const ids = new Set(lost.map(({ id }) => String(id)));
    for (const team of this.teams) {
      for (const account of team.accounts.filter(({ id }) => ids.has(id))) {
        await connectAccount({ service, token: team.token }, account, this.platform);
        this.reconnected++;
      }
    }
  }

  /** After a loss: sends again what is not known any more and is not out. */
  async sendAgain(service: Service, posts: readonly Post[]): Promise<void> {
    await inTurn(posts, async (post) => {
      const form = await this.formOf(post, 0, "");
      if (post.dueAt !== null && post.dueAt > service.now + MINUTE_MS) {
        form.set("schedule_date", new Date(post.dueAt).toISOString());
      }
      if (post.dueAt === null) form.set("status", "pending_approval");
      await this.send(service, post, form);
    });
  }

  private async postOne(service: Service): Promise<void> {
    const i = this.sent++;
    const { random } = this;
    const team = this.teams[random.between(0, this.teams.length - 1)] as Team;
    const account = team.accounts[random.between(0, team.accounts.length - 1)] as Account;
    const text = `Post ${i} plain`;
    const post: Post = {
      text,
      team,
      account,
      dueAt: service.now,
      acceptedAt: 0,
      approvedAt: null,
      id: 0,
    };
    const form = await this.formOf(post, i, account.protocol ? this.steering() : "");
    const roll = random.next();
    const latest = Math.min(this.end - REST_MS, service.now + FARTHEST_PLAN_MS);
    const at = service.now + random.between(HOUR_MS, FARTHEST_PLAN_MS);
    if (roll < PLANNED_SHARE && at < latest) {
      post.dueAt = at - (at % 1_000);
      form.set("schedule_date", new Date(post.dueAt).toISOString());
    } else if (roll > 1 - APPROVAL_SHARE) {
      post.dueAt = null;
      form.set("status", "pending_approval");
    }
    await this.send(service, post, form);
    if (post.dueAt === null && post.id > 0) this.waiting.push(post);
  }

  private async formOf({ text, account }: Post, i: number, steering: string): Promise<FormData> {
    const { name, protocol, id } = account;
    const form = new FormData();
    form.set("accountId", id);
    form.set(protocol?.textField ?? "description", text + steering);
    await protocol?.fill(form, i, name);
    if (i % PARTS_OF === 1) addParts(form, text, followingOf(protocol?.platform ?? "bluesky", i));
    return form;
  }

  /** Sends once more what got no answer, under the same key. */
  async repeatUnanswered(service: Service): Promise<void> {
    const all = this.unanswered;
    this.unanswered = [];
    this.cutOff += all.length;
    await inTurn(all, ([post, form]) => this.send(service, post, form));
  }

  private async send(service: Service, post: Post, form: FormData): Promise<void> {
    const as = { service, token: post.team.token };
    try {
      const { data } = await call<Accepted>(as, "POST", "/upload", form, post.text);
      if (post.id === 0) this.posts.push(post);
      post.id = data.uploadId;
      post.acceptedAt = service.now;
    } catch (error) {
      if (error instanceof Refusal) {
        this.refusals.push(`${post.text}: ${error.message}`);
        this.refused.add(post.text);
      } else this.unanswered.push([post, form]);
    }
  }

  private steering(): string {
    let roll = this.random.between(0, 999);
    for (const [word, perMille] of STEERING) {
      if (roll < perMille) return word;
      roll -= perMille;
    }
    return "";
  }
}
