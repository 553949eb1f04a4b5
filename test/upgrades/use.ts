import { setTimeout as sleep } from "node:timers/promises";
import { createGradientPng } from "../../src/cli/png.ts";
import { Problem } from "../../src/cli/program.ts";
import { type Facts, REFUSED } from "./states.ts";

/** An instance of an earlier state, and what a person there has besides its API. */
export interface Instance {
  origin: string;
  token: string;
  /** The address of a link that signs this person in; null where the state has no sign-in. */
  signInLink(email: string): Promise<string | null>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of any state of the API
type Json = any;

const WAIT_MS = 60_000;
const POLL_MS = 500;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** No address of this name can be resolved (RFC 2606). */
const DEAD_RECEIVER = "https://receiver.invalid/hook";

/** Days until the planned posts, at this second of a minute. */
const PLANNED_DAYS = 20;
const PLANNED_SECOND = 7;
const POOL_HOURS = 6;

const inDays = (days: number): string => {
  const at = new Date(Date.now() + days * DAY_MS);
  at.setUTCSeconds(PLANNED_SECOND, 0);
  return at.toISOString();
};

/** Uses everything that the instance's own document describes, and answers what came of it. */
export async function useInstance(instance: Instance): Promise<Omit<Facts, "counts" | "files">> {
  const { origin, token } = instance;
  const document = await (await fetch(`${origin}/api/v1/openapi.json`)).json();
  const has = (method: string, path: string): boolean =>
    Boolean((document as Json).paths[`/api/v1${path}`]?.[method]);

  async function call(method: string, path: string, body?: object, headers = {}): Promise<Json> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers: {
        "x-api-key": token,
        ...(body && !isForm ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Problem(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  const accounts: { id: string; platform: string }[] = (await call("GET", "/accounts")).data;
  const accountId = accounts.find(({ platform }) => platform === "bluesky")?.id ?? "";

  async function post(fields: Record<string, string | Blob>, headers = {}): Promise<number> {
    const form = new FormData();
    for (const [name, value] of Object.entries({ accountId, ...fields })) form.append(name, value);
    return (await call("POST", "/upload", form, headers)).data.uploadId;
  }

  async function waitFor(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + WAIT_MS;
    while (!(await isSo())) {
      if (Date.now() > deadline) throw new Problem(`Waited in vain for ${what}.`);
      await sleep(POLL_MS);
    }
  }

  const waitForStatus = (id: number, status: string) =>
    waitFor(`post ${id} to be ${status}`, async () => {
      const { data } = await call("GET", `/upload/${id}`);
      return data.status === status;
    });

  const picture = () =>
    new Blob(
      [createGradientPng({ width: 64, height: 64, from: [9, 40, 90], to: [250, 200, 120] })],
      { type: "image/png" },
    );

  const webhooks = has("post", "/webhooks") ? await subscribe() : undefined;

  async function subscribe() {
    const create = async (url: string): Promise<Json> =>
      (await call("POST", "/webhooks", { url, events: ["upload.completed", "upload.failed"] }))
        .data;
    const receiver = await create(`${origin}/sandbox/webhook`);
    const dead = await create(DEAD_RECEIVER);
    return {
      receiver: receiver.id,
      secret: receiver.secret,
      dead: dead.id,
      deadUrl: DEAD_RECEIVER,
      deadSecret: dead.secret,
    };
  }

  const at = inDays(PLANNED_DAYS);
  const planned = await post({ description: "Planned before the upgrade", schedule_date: at });
  const photo = await post({
    description: "A photo, planned before the upgrade",
    photo: picture(),
    schedule_date: at,
  });
  const draft = await post({ description: "A draft from before the upgrade", status: "draft" });
  const done = await post({ description: "Published before the upgrade" });
  await waitForStatus(done, "completed");
  const failed = await post({ description: `Refused before the upgrade ${REFUSED}` });
  await waitForStatus(failed, "failed");

  const facts: Omit<Facts, "counts" | "files" | "posts"> = {
    madeAt: new Date().toISOString(),
    token,
    origin,
    planned: { id: planned, at, accountId },
    photo: { id: photo, at, accountId },
    draft,
    failed,
    ...(webhooks && { webhooks }),
  };

  const reader = await call("POST", "/tokens", { name: "A reader", scopes: ["posts:read"] });
  await fetch(`${origin}/api/v1/upload`, { headers: { "x-api-key": reader.data.token } });
  facts.reader = { token: reader.data.token };

  if (has("post", "/upload/bulk")) {
    const body = { description: "Repeated with its key", schedule_date: inDays(PLANNED_DAYS + 1) };
    const key = "before-the-upgrade";
    facts.once = { key, body, id: await post(body, { "idempotency-key": key }) };
  }
  if (has("patch", "/settings")) await call("PATCH", "/settings", { blocklist: ["casino"] });
  if (has("post", "/teams/invites")) {
    const email = "ada@example.com";
    await join(instance, await call("POST", "/teams/invites", { email, role: "MEMBER" }), email);
    facts.member = { email };
    const open = await call("POST", "/teams/invites", { email: "bob@example.com", role: "ADMIN" });
    facts.openInvite = { path: new URL(open.data.inviteLink).pathname };
  }
  if (has("post", "/suggestions")) {
    await call("POST", "/suggestions", { title: "More cats", body: "There should be more cats." });
  }
  if (has("post", "/pools")) {
    const time = new Date(Date.now() + POOL_HOURS * HOUR_MS).toISOString().slice(11, 16);
    const { pool } = await call("POST", "/pools", {
      name: "Tips",
      timezone: "UTC",
      slots: [{ time, days: [0, 1, 2, 3, 4, 5, 6], accountIds: [accountId] }],
    });
    const add = async (fields: Record<string, string>): Promise<number> => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append("photo", picture());
      return (await call("POST", `/pools/${pool.id}/videos`, form)).items[0].id;
    };
    facts.pool = {
      id: pool.id,
      itemId: await add({ title: "A tip from before the upgrade" }),
      nextAt: pool.slots[0].nextAt ?? (await call("GET", `/pools/${pool.id}`)).pool.slots[0].nextAt,
    };
    if (
      has("post", "/pools/{id}/videos/{itemId}/move") ||
      has("patch", "/pools/{id}/videos/{itemId}")
    ) {
      const repeat = JSON.stringify({ every: { days: 1 }, times: 3 });
      facts.evergreen = { itemId: await add({ title: "Again and again", repeat }) };
    }
  }
  if (has("post", "/short-links")) {
    const destination = "https://example.com/shop";
    const link = await call("POST", "/short-links", {
      url: destination,
      slug: "autumn",
      rules: [{ type: "geo", countryCodes: "DE,AT", destination: "https://example.com/de" }],
    });
    for (let visit = 0; visit < 3; visit++) {
      await fetch(`${origin}/s/autumn`, { redirect: "manual" });
    }
    const readClicks = async () => (await call("GET", `/short-links/${link.id}`)).clicks as number;
    await waitFor("the clicks of a short link", async () => (await readClicks()) === 3);
    facts.shortLink = { id: link.id, slug: "autumn", destination, clicks: 3 };
  }
  if (has("post", "/domains")) {
    await call("POST", "/domains", { domain: "go.example.com" });
    facts.domain = { host: "go.example.com" };
  }
  if (has("post", "/upload/review-links")) {
    const postId = await post({
      description: "For the client, before the upgrade",
      status: "pending_approval",
    });
    const { data } = await call("POST", "/upload/review-links", { uploadIds: [postId] });
    facts.review = { path: new URL(data.url).pathname, postId };
  }
  if (has("post", "/whitelabel/links")) {
    const { data } = await call("POST", "/whitelabel/links", {
      platform: "x",
      mode: "sandbox",
      title: "Connect with Acme",
      tags: ["acme"],
    });
    facts.connectionLink = { path: new URL(data.inviteLink).pathname };
  }
  if (has("post", "/analytics/{connectedAccountId}/sync")) {
    await call("POST", `/analytics/${accountId}/sync`);
  }
  if (has("post", "/upload/{id}/unpublish")) {
    const when = inDays(PLANNED_DAYS + 2);
    const fields = { thread: JSON.stringify(["The second", "The third"]), schedule_date: when };
    facts.thread = { id: await post({ description: "The first", ...fields }), at: when };
  }
  if (has("post", "/drafts")) {
    const content = { accountIds: [accountId], description: "Still an idea" };
    facts.composerDraft = { id: String((await call("POST", "/drafts", { content })).data.id) };
  }
  if (has("post", "/calendar/feeds")) {
    const { data } = await call("POST", "/calendar/feeds");
    facts.feed = { path: new URL(data.url).pathname };
  }
  if (has("post", "/reports")) {
    const { data } = await call("POST", "/reports", { title: "Our month", days: 30 });
    facts.report = { path: new URL(data.url).pathname };
  }
  if (facts.webhooks) {
    const { receiver } = facts.webhooks;
    await waitFor("a delivery", async () => {
      const { data } = await call("GET", `/webhooks/${receiver}/deliveries`);
      return data.some(({ success }: Json) => success);
    });
  }
  const posts = (await call("GET", "/upload?limit=100")).data.map(
    ({ id, status, description }: Facts["posts"][number]) => ({ id, status, description }),
  );
  return { ...facts, posts };
}

/** Accepts an invite as the person whom it names, by the forms of the pages. */
async function join({ origin, signInLink }: Instance, invite: Json, email: string): Promise<void> {
  const link = await signInLink(email);
  if (link === null) throw new Problem("The state has invites and no sign-in.");
  const cookies = new Map<string, string>();
  const send = async (path: string, fields: Record<string, string>) => {
    const response = await fetch(`${origin}${path}`, {
      method: "POST",
      redirect: "manual",
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        origin,
        "sec-fetch-site": "same-origin",
      },
      body: new URLSearchParams(fields),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    if (response.status >= 400) {
      throw new Problem(
        `POST ${path}: ${response.status} ${(await response.text()).slice(0, 500)}`,
      );
    }
  };
  await send("/sign-in/link", { token: new URL(link).searchParams.get("token") ?? "" });
  await send(`${new URL(invite.data.inviteLink).pathname}/accept`, {});
}
