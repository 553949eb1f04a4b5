import { env } from "cloudflare:workers";
import { createMember, Harness, type Member } from "./harness.ts";
import { hmac } from "./hmac.ts";

export const RECEIVER_URL = "https://receiver.example/hook";

export interface Arrival {
  url: string;
  headers: Headers;
  body: string;
  eventId: string;
  at: number;
}

/** The signature that these bytes must bear, as any receiver computes it. */
export const signatureOf = async (
  secret: string,
  { headers, body }: Pick<Arrival, "headers" | "body">,
): Promise<string> => (await hmac(secret, `${headers.get("x-webhook-timestamp")}.${body}`)).toHex();

type Reply = () => Response | Promise<Response>;

export const fails: Reply = () => new Response("boom", { status: 500 });
export const succeeds: Reply = () => new Response("ok");
export const timesOut: Reply = () => Promise.reject(new DOMException("late", "TimeoutError"));

/** A team with webhooks, and the receiver that they point at. */
export class Hooks {
  readonly harness: Harness;
  readonly member: Member;
  readonly arrivals: Arrival[] = [];
  /** Used up first. */
  replies: Reply[] = [];
  reply: Reply = succeeds;

  private constructor(harness: Harness, member: Member) {
    this.harness = harness;
    this.member = member;
    harness.network = async (input, init) => {
      const request = new Request(input, init);
      const { url, headers } = request;
      const body = await request.text();
      const eventId = headers.get("x-webhook-id") ?? "";
      this.arrivals.push({ url, headers, body, eventId, at: Date.now() });
      return (this.replies.shift() ?? this.reply)();
    };
  }

  static async open(harness = new Harness()): Promise<Hooks> {
    return new Hooks(harness, await createMember());
  }

  call(method: string, path: string, json?: unknown) {
    return this.harness.call(method, path, { token: this.member.token, json });
  }

  async subscribe(
    events = ["suggestion.created"],
    url = RECEIVER_URL,
  ): Promise<{ id: number; secret: string }> {
    return (await this.call("POST", "/webhooks", { url, events })).body.data;
  }

  /** An event. */
  async suggest(): Promise<void> {
    await this.call("POST", "/suggestions", { title: "Idea" });
    await this.harness.settle();
  }

  /** Stores events by the hundred; no message tells of them. */
  async storeEvents(count: number, name = "suggestion.created"): Promise<void> {
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
        INSERT INTO events (team_id, id, name, data, created_at)
        SELECT ?2, 'evt_' || printf('%012x', ?3) || lower(hex(randomblob(8))), ?4, '{}', ?3 FROM n`,
    )
      .bind(count, this.member.teamId, Date.now(), name)
      .run();
  }

  async log(id: number, limit = 50) {
    return (await this.call("GET", `/webhooks/${id}/deliveries?limit=${limit}`)).body.data;
  }

  async webhook(id: number) {
    const { body } = await this.call("GET", "/webhooks");
    return body.data.find((one: { id: number }) => one.id === id);
  }

  /** Deliveries that are still to be made, or the attempts that were logged, of the team. */
  async count(table: "deliveries" | "attempts"): Promise<number> {
    const counted = env.DB.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE team_id = ?`);
    return (await counted.bind(this.member.teamId).first<number>("n")) ?? 0;
  }

  /** The messages are gone, as after a crash. */
  loseMessages(): void {
    this.harness.sentDeliveries.length = 0;
  }
}

/** Removes the stored events: they have no data, which no real one lacks. */
export async function forgetStoredEvents(): Promise<void> {
  await env.DB.prepare("DELETE FROM events WHERE data = '{}'").run();
}
