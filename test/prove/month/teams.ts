import { sha256Hex } from "../../../src/core/signature.ts";
import { addPhotos } from "../files.ts";
import type { Protocol } from "../protocol.ts";
import { PROTOCOLS } from "../protocols.ts";
import type { Receiver } from "../receiver.ts";
import { call } from "./call.ts";
import { inTurn } from "./in-turn.ts";
import type { Service } from "./service.ts";

export interface Account {
  id: string;
  name: string;
  /** Null: on the harness's own server, which speaks Bluesky's protocol. */
  protocol: Protocol | null;
}

export interface Team {
  number: number;
  token: string;
  accounts: Account[];
  poolId: string;
  /** Of its pool, on every day. */
  slot: { zone: string; time: string };
  link: { id: number; slug: string };
  /** The endpoint of its webhook, named for how it behaves. */
  endpoint: string | null;
}

/** Half of a team's accounts are on the harness's own server, the others on the simulated platforms in turn. */
export const ACCOUNTS_PER_TEAM = 10;
const ZONES = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"];
const TIME = "09:30";
/** On the day on which summer begins, Berlin has no such time. */
const NIGHT_TIME = "02:30";
/** Every eighth team; its zone is Berlin's. */
const NIGHT_TEAMS = 8;
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const POOL_PLATFORMS = ["instagram", "facebook", "threads"];

export const tokenOf = (team: number): string => `kmb_${String(team).padStart(64, "0")}`;

/** Every fourth team has a webhook; every fifth of these is dead, and some fail at times. */
function endpointOf(team: number): string | null {
  if (team % 4 !== 0) return null;
  const behaviour = ["redirecting", "flaky", "good", "good", "good"][(team / 4) % 5];
  return `${behaviour}-${team}`;
}

export async function createTeams(
  service: Service,
  count: number,
  platform: string,
  receiver: Receiver,
): Promise<Team[]> {
  await insertTeams(service, count);
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  return inTurn(numbers, (number) => createTeam(service, number, platform, receiver));
}

async function insertTeams(service: Service, count: number): Promise<void> {
  const at = service.now;
  for (let team = 1; team <= count; team++) {
    const hash = await sha256Hex(tokenOf(team));
    await service.runAll([
      {
        sql: "INSERT INTO users (id, email, created_at) VALUES (?, ?, ?)",
        params: [team, `owner${team}@example.com`, at],
      },
      {
        sql: "INSERT INTO teams (id, name, slug, owner_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)",
        params: [team, `Team ${team}`, `team-${team}`, team, at, at],
      },
      {
        sql: "INSERT INTO members (team_id, user_id, role, joined_at) VALUES (?, ?, 'OWNER', ?)",
        params: [team, team, at],
      },
      {
        sql: "INSERT INTO tokens (hash, name, hint, user_id, scopes, created_at) VALUES (?, 'month', 'kmb_…', ?, '[\"*\"]', ?)",
        params: [hash, team, at],
      },
    ]);
  }
}

async function createTeam(
  service: Service,
  number: number,
  platform: string,
  receiver: Receiver,
): Promise<Team> {
  const token = tokenOf(number);
  const as = { service, token };
  const accounts: Account[] = [];
  for (let i = 0; i < ACCOUNTS_PER_TEAM; i++) {
    accounts.push(await connect(as, number, i, platform));
  }
  const inPool = accounts.find(({ protocol }) =>
    number % 2 === 0 ? !protocol : protocol && POOL_PLATFORMS.includes(protocol.platform),
  );
  const slot = {
    zone: ZONES[number % ZONES.length] ?? "UTC",
    time: number % NIGHT_TEAMS === NIGHT_TEAMS / 2 ? NIGHT_TIME : TIME,
  };
  const { pool } = await call<{ pool: { id: string } }>(as, "POST", "/pools", {
    name: "Every day",
    timezone: slot.zone,
    slots: [{ time: slot.time, days: EVERY_DAY, accountIds: [inPool?.id] }],
  });
  const link = await call<Team["link"]>(as, "POST", "/short-links", {
    url: `https://example.com/team/${number}`,
    slug: `team-${number}`,
  });
  const endpoint = endpointOf(number);
  if (endpoint) {
    const events = ["upload.completed", "upload.failed"];
    await call(as, "POST", "/webhooks", { url: receiver.url(endpoint), events });
  }
  return { number, token, accounts, poolId: pool.id, slot, link, endpoint };
}

async function connect(
  as: { service: Service; token: string },
  team: number,
  i: number,
  platform: string,
): Promise<Account> {
  const half = ACCOUNTS_PER_TEAM / 2;
  const name = `account${(team - 1) * ACCOUNTS_PER_TEAM + i}`;
  const protocol = i < half ? null : (PROTOCOLS[(team * half + i) % PROTOCOLS.length] ?? null);
  const account = { id: "", name, protocol };
  return { ...account, id: await connectAccount(as, account, platform) };
}

/** Connects an account, or connects it again. */
export async function connectAccount(
  as: { service: Service; token: string },
  { name, protocol }: Account,
  platform: string,
): Promise<string> {
  const body = protocol
    ? { platform: protocol.platform, sandbox: true, name, ...(await protocol.connection?.(name)) }
    : { platform: "bluesky", service: platform, credentials: { accessToken: name } };
  return (await call<{ data: { id: string } }>(as, "POST", "/accounts", body)).data.id;
}

/** @returns the texts of the items */
export async function fillPool(
  service: Service,
  { token, poolId, number }: Team,
  items: number,
  first: number,
): Promise<string[]> {
  const texts: string[] = [];
  for (let i = 0; i < items; i++) {
    const text = `Post ${number}00${first + i} pool`;
    const form = new FormData();
    form.set("title", text);
    addPhotos(form, 1);
    await call({ service, token }, "POST", `/pools/${poolId}/videos`, form);
    texts.push(text);
  }
  return texts;
}
