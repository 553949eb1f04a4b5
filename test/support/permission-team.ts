import { env } from "cloudflare:workers";
import { randomHex } from "../../src/core/ids.ts";
import type { Role } from "../../src/deps.ts";
import { measuresOf } from "../../src/features/analytics/collect.ts";
import { storeSync } from "../../src/features/analytics/store.ts";
import { pageOf } from "../platforms/linkedin/row.ts";
import {
  type Answer,
  createMember,
  createToken,
  form,
  type Harness,
  joinTeam,
  type Member,
  START,
} from "./harness.ts";
import { Browser } from "./person.ts";
import { newBrowser } from "./push-service.ts";
import { photo } from "./stage.ts";

/** Somebody with a token, who calls in the name of a team. */
export interface Holder {
  userId: number;
  token: string;
  headers: Record<string, string>;
}

/** Kinds of texts that answers to the team show to its own people. */
export const SHOWN_KINDS = [
  "account",
  "brand",
  "domain",
  "file",
  "invite",
  "person",
  "pool",
  "post",
  "shortlink",
  "suggestion",
  "team",
  "token",
  "webhook",
  "word",
] as const;

let serial = 0;

/** A team in which every text names the team. Its methods create the objects that a call needs, new each time. */
export class PlantedTeam {
  private readonly harness: Harness;
  readonly name: string;
  readonly owner: Holder;
  readonly teamId: number;

  private constructor(harness: Harness, name: string, { userId, teamId, token }: Member) {
    this.harness = harness;
    this.name = name;
    this.teamId = teamId;
    this.owner = { userId, token, headers: {} };
  }

  static async make(harness: Harness): Promise<PlantedTeam> {
    const name = `canary${++serial}`;
    const team = new PlantedTeam(harness, name, await createMember());
    await env.DB.prepare("UPDATE teams SET name = ?, slug = ? WHERE id = ?")
      .bind(team.text("team"), team.text("team"), team.teamId)
      .run();
    await team.nameUser(team.owner.userId);
    return team;
  }

  /** A planted text, such as `canary1-account`. */
  text(kind: string): string {
    return `${this.name}-${kind}`;
  }

  /** Kinds of planted texts that stand in an answer. */
  shownIn(answer: string): string[] {
    return SHOWN_KINDS.filter((kind) => answer.includes(this.text(kind)));
  }

  /** Returns a text of the team in its place in an answer; null where the answer shows none. */
  foundIn(answer: string): string | null {
    const at = answer.indexOf(`${this.name}-`);
    return at < 0 ? null : answer.slice(Math.max(0, at - 100), at + 100);
  }

  private async nameUser(userId: number): Promise<void> {
    const text = this.text("person");
    await env.DB.prepare("UPDATE users SET name = ?, email = ? WHERE id = ?")
      .bind(text, `${text}-${userId}@example.com`, userId)
      .run();
  }

  /** Makes a person who belongs to this team beside their own; a named one has an address that tells so. */
  async join(role: Role, { isNamed = true } = {}): Promise<Holder> {
    const { userId, token } = await createMember();
    await joinTeam(this.teamId, userId, role);
    if (isNamed) await this.nameUser(userId);
    return { userId, token, headers: { "x-team-id": String(this.teamId) } };
  }

  /** The owner by a token that is pinned to the team. */
  async pinnedOwner(): Promise<Holder> {
    const { userId, headers } = this.owner;
    return { userId, token: await createToken(userId, { teamId: this.teamId }), headers };
  }

  /** Plants one of each, so that the team has something to hide. */
  async plant(): Promise<void> {
    await this.upload();
    await this.file();
    await this.draft();
    await this.block();
    await this.feed();
    await this.program(this.owner);
    await this.app();
    await this.invite();
    await this.link();
    await this.reviewLink();
    await this.browser(this.owner);
    await this.pool();
    await this.delivery(await this.webhook());
    await this.shortLink();
    await this.domain();
    const settings = { branding: { name: this.text("brand") }, blocklist: [this.text("word")] };
    await this.send("PATCH", "/settings", { json: settings });
    await this.send("POST", "/suggestions", { json: { title: this.text("suggestion") } });
  }

  private async send(
    method: string,
    path: string,
    sent: { json?: unknown; body?: BodyInit },
    holder = this.owner,
  ): Promise<Answer["body"]> {
    const answer = await this.harness.call(method, path, { ...holder, ...sent });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  }

  /** A LinkedIn account that is a page. */
  async linkedInPage(): Promise<string> {
    const name = `${this.text("account")} ${++serial}`;
    const json = { platform: "linkedin", sandbox: true, name, pageId: await pageOf(name) };
    return (await this.send("POST", "/accounts", { json })).id;
  }

  /** Its address answers only where the harness's network does. */
  async feed(): Promise<string> {
    const accountId = await this.account();
    const at = this.harness.deps.now().getTime();
    const row = await env.DB.prepare(
      `INSERT INTO feeds (team_id, url, account_ids, template, status, takes_picture, is_active, created_by,
        may_publish, origin, created_at, next_at, failures)
       VALUES (?, 'https://example.com/feed', ?, ?, 'draft', 0, 0, ?, 1, '', ?, ?, 0) RETURNING id`,
    )
      .bind(
        this.teamId,
        JSON.stringify([accountId]),
        `${this.text("post")} {title}`,
        this.owner.userId,
        at,
        at,
      )
      .first<{ id: number }>();
    return String(row?.id);
  }

  async block(): Promise<string> {
    const name = `block-${++serial}`;
    await this.send("PUT", `/blocks/${name}`, { json: { text: this.text("post") } });
    return name;
  }

  async draft(): Promise<string> {
    const content = { description: `${this.text("post")} ${++serial}` };
    return String((await this.send("POST", "/drafts", { json: { content } })).id);
  }

  async account(platform = "bluesky"): Promise<string> {
    const name = `${this.text("account")} ${++serial}`;
    return (await this.send("POST", "/accounts", { json: { platform, sandbox: true, name } })).id;
  }

  async measuredPost(): Promise<{ accountId: string; postId: string }> {
    const accountId = await this.account();
    const postId = `post-${++serial}`;
    const at = this.harness.deps.now().getTime();
    const text = `${this.text("post")} ${serial}`;
    const counters = [1, 2, 3, 4];
    const post = { id: postId, at, publishedAt: at - 1, text, hashtags: [], url: null, counters };
    await storeSync(this.harness.deps, {
      ...{ teamId: this.teamId, accountId, measures: measuresOf(this.harness.deps, "bluesky") },
      ...{ errors: [], uploadIds: new Map(), rehearsed: [] },
      reading: { at, followers: 1, posts: [post] },
    });
    return { accountId, postId };
  }

  async upload({
    isFailed = false,
    isPublished = false,
    isEditable = false,
    isPlanned = false,
    status = "draft",
  } = {}): Promise<string> {
    const accountId = await this.account();
    const description = `${this.text("post")} ${++serial}`;
    const date: Record<string, string> = isPlanned ? { schedule_date: "2026-12-24T10:00:00Z" } : {};
    const body = form({ accountId, description, title: description, status, ...date });
    const { uploadId } = await this.send("POST", "/upload", { body });
    if (isFailed) {
      const fail = "UPDATE uploads SET status = 'failed', status_group = 'failed' WHERE id = ?";
      await env.DB.prepare(fail).bind(uploadId).run();
    }
    if (isPublished) {
      const metadata = JSON.stringify({
        videoId: "at://did/app.bsky.feed.post/3k",
        shareUrl: null,
      });
      await env.DB.prepare(
        "UPDATE uploads SET status = 'completed', status_group = 'completed', metadata = ? WHERE id = ?",
      )
        .bind(metadata, uploadId)
        .run();
    }
    if (isEditable) {
      await env.DB.prepare("UPDATE uploads SET platform = 'facebook' WHERE id = ?")
        .bind(uploadId)
        .run();
    }
    return String(uploadId);
  }

  /** Stores a file; its mediaId. */
  async file(): Promise<string> {
    const body = form({ file: photo(), name: `${this.text("file")} ${++serial}` });
    return (await this.send("POST", "/media", { body })).mediaId;
  }

  async rehearsal(): Promise<string> {
    const json = { accountId: await this.account() };
    return String((await this.send("POST", "/rehearsals", { json })).id);
  }

  /** Makes a link for a client. */
  async link(): Promise<string> {
    const json = { platform: "x", mode: "sandbox", title: this.text("link") };
    return String((await this.send("POST", "/whitelabel/links", { json })).id);
  }

  /** Makes a link by which a client reviews a new post. */
  async report(): Promise<string> {
    return String((await this.send("POST", "/reports", {})).id);
  }

  async calendarFeed(): Promise<string> {
    return String((await this.send("POST", "/calendar/feeds", {})).id);
  }

  async reviewLink(): Promise<string> {
    const json = { uploadIds: [Number(await this.upload())] };
    const { url } = await this.send("POST", "/upload/review-links", { json });
    return /\/review\/(\d+)-/.exec(url)?.[1] ?? "";
  }

  /** Makes a pool with a slot and an item; the ids of all. */
  async pool() {
    // A call to the settings makes members of the team need approval.
    const { DB } = env;
    await DB.batch([
      DB.prepare("UPDATE teams SET requires_approval = 0 WHERE id = ?").bind(this.teamId),
      // A team has a hundred at most.
      DB.prepare(
        `UPDATE pools SET deleted_at = 1 WHERE team_id = ?1 AND id NOT IN
          (SELECT id FROM pools WHERE team_id = ?1 ORDER BY id DESC LIMIT 20)`,
      ).bind(this.teamId),
    ]);
    const accountId = await this.account();
    const slots = [{ time: "09:00", days: [1], accountIds: [accountId] }];
    const json = { name: this.text("pool"), timezone: "UTC", slots };
    const call = { ...this.owner, json };
    const { body } = await this.harness.call("POST", "/pools", call);
    const { id } = body.pool;
    const item = await this.harness.call("POST", `/pools/${id}/videos`, {
      ...this.owner,
      body: form({ title: this.text("pool"), video: "https://example.com/a.mp4" }),
    });
    const itemId = String(item.body.items[0].id);
    return { id, slotId: body.pool.slots[0].id, itemId, accountId };
  }

  /** Makes a webhook. */
  async webhook(): Promise<string> {
    // A team has 50 at most, and the table asks for more.
    await env.DB.prepare(
      "DELETE FROM webhooks WHERE team_id = ?1 AND id NOT IN (SELECT id FROM webhooks WHERE team_id = ?1 ORDER BY id DESC LIMIT 40)",
    )
      .bind(this.teamId)
      .run();
    const url = `https://example.com/${this.text("webhook")}`;
    const json = { url, events: ["suggestion.created"] };
    return String((await this.send("POST", "/webhooks", { json })).id);
  }

  /** The name of a domain that nobody has. */
  newDomain(): string {
    return `go-${++serial}.example.com`;
  }

  /** Makes a domain that is not verified yet. */
  async openDomain(): Promise<void> {
    const id = await this.domain();
    await env.DB.prepare("UPDATE domains SET verified_at = NULL WHERE id = ?").bind(id).run();
  }

  /** Makes a verified domain. */
  async domain(): Promise<string> {
    const inserted = await env.DB.prepare(
      `INSERT INTO domains (team_id, user_id, is_shared, host, txt_name, txt_value, cname_target, verified_at,
        created_at, updated_at) VALUES (?, ?, 0, ?, 'name', 'value', 'akimbo.test', 0, 0, 0)`,
    )
      .bind(this.teamId, this.owner.userId, `${this.text("domain")}-${++serial}.example.com`)
      .run();
    return String(inserted.meta.last_row_id);
  }

  /** Makes a short link. */
  async shortLink(): Promise<string> {
    const url = `https://example.com/${this.text("shortlink")}`;
    const answer = await this.harness.call("POST", "/short-links", {
      ...this.owner,
      json: { url },
    });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return String(answer.body.id);
  }

  /** Makes an attempt in the log of a webhook; its id. */
  async delivery(webhookId: string, success = true): Promise<string> {
    const [eventId, id] = [`evt_${++serial}`, `dlv_${++serial}`];
    const data = JSON.stringify({
      suggestionId: 1,
      title: this.text("suggestion"),
      status: "open",
    });
    const { DB } = env;
    await DB.batch([
      DB.prepare(
        "INSERT INTO events (team_id, id, name, data, created_at) VALUES (?, ?, 'suggestion.created', ?, 0)",
      ).bind(...[this.teamId, eventId, data]),
      DB.prepare(
        `INSERT INTO attempts (webhook_id, id, team_id, event_id, event, attempt, success, duration_ms, created_at)
          VALUES (?, ?, ?, ?, 'suggestion.created', 1, ?, 5, 0)`,
      ).bind(Number(webhookId), id, this.teamId, eventId, Number(success)),
    ]);
    return id;
  }

  /** Makes a token of the holder's. */
  async token(holder: Holder): Promise<string> {
    return String(
      (await this.send("POST", "/tokens", { json: { name: this.text("token") } }, holder)).id,
    );
  }

  /** Makes a program of the holder's that asks to publish. */
  async program(holder: Holder): Promise<string> {
    const id = await this.token(holder);
    await env.DB.prepare(
      `INSERT INTO oauth_grants (id, key, client_id, client_kind, client_host, resource, idle_at, wanted)
       VALUES (?1, 'key-' || ?1, 'a-client', 'registered', 'program.example', 'mcp', ?2, '["posts:publish"]')`,
    )
      .bind(Number(id), 4e12)
      .run();
    return id;
  }

  /** Makes an app of the team, with a secret. */
  async app(): Promise<string> {
    const id = `kmx_${randomHex(16)}`;
    await env.DB.prepare(
      `INSERT INTO oauth_clients (id, kind, team_id, name, redirect_uris, auth_method, secret_hash,
          created_by, created_at)
        VALUES (?, 'app', ?, ?, '["https://app.example/callback"]', 'client_secret_basic', ?, ?, 0)`,
    )
      .bind(id, this.teamId, this.text("app"), `hash-${id}`, this.owner.userId)
      .run();
    return id;
  }

  /** Makes a browser of the holder's that gets their notices. */
  async browser(holder: Holder): Promise<string> {
    const json = await newBrowser();
    return String((await this.send("POST", "/settings/push", { json }, holder)).id);
  }

  /** Makes an open invite. */
  async invite(): Promise<string> {
    const email = `${this.text("invite")}-${++serial}@example.com`;
    const json = { role: "MEMBER", email };
    return String((await this.send("POST", "/teams/invites", { json })).id);
  }

  /** Makes a passkey of the holder's. */
  async passkey({ userId }: Holder): Promise<string> {
    const inserted = await env.DB.prepare(
      `INSERT INTO passkeys (user_id, name, credential_id, public_key, counter, device_type, backed_up,
        created_at) VALUES (?, ?, ?, 'key', 0, 'singleDevice', 0, ?)`,
    )
      .bind(userId, this.text("passkey"), `credential-${++serial}`, START.getTime())
      .run();
    return String(inserted.meta.last_row_id);
  }

  /** Makes a session of the holder's, in a browser that nobody looks at. */
  async session(holder: Holder): Promise<string> {
    await new Browser(this.harness).signIn(holder);
    const row = await env.DB.prepare("SELECT max(id) AS id FROM sessions").first<{ id: number }>();
    return String(row?.id);
  }
}
