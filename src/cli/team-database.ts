import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { Config } from "../config.ts";
import { createEncryptionKeys, createSigningKey } from "../core/instance-keys.ts";
import type { Query } from "../db/client.ts";
import { execute, type Place, type Row } from "./d1.ts";
import { readDevVars } from "./dev-vars.ts";
import { inProject } from "./paths.ts";
import { Problem } from "./program.ts";
import { quote, sql } from "./sql.ts";
import { checkVars, readTomlVars, type Vars } from "./vars.ts";

export function toStatement({ sql, params }: Pick<Query<unknown>, "sql" | "params">): string {
  const parts = sql.split("?");
  if (parts.length !== params.length + 1) throw new Error(`Not one value for each ?: ${sql}`);
  return parts.reduce((text, part, index) => {
    const value = params[index - 1] as string | number | null;
    return text + quote(value) + part;
  });
}

export const executeQueries = (
  place: Place,
  queries: readonly Query<unknown>[],
): Promise<Row[][]> => execute(place, queries.map(toStatement));

export interface Team {
  id: number;
  slug: string;
  plan: string | null;
  /** The plan when the team has none of its own. Null means the instance's default plan. */
  basePlan: string | null;
  /** Null for a plan without an end. */
  planUntil: Date | null;
}

/** @throws Problem when no team has this id or slug */
export async function findTeam(place: Place, name: string): Promise<Team> {
  const [[team] = []] = await execute(place, [
    sql`SELECT id, slug, plan, base_plan, plan_until FROM teams WHERE slug = ${name} OR CAST(id AS TEXT) = ${name}
      ORDER BY slug = ${name} DESC LIMIT 1`,
  ]);
  if (!team) throw new Problem(`There is no team ${name}.`);
  return toTeam(team);
}

const toText = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value);

const toTeam = (row: Row): Team => ({
  id: Number(row.id),
  slug: String(row.slug),
  plan: toText(row.plan),
  basePlan: toText(row.base_plan),
  planUntil: typeof row.plan_until === "number" ? new Date(row.plan_until) : null,
});

export async function listTeams(place: Place): Promise<(Team & { owner: string })[]> {
  const [rows = []] = await execute(place, [
    sql`SELECT t.id, t.slug, t.plan, t.base_plan, t.plan_until, u.email FROM teams t
      JOIN users u ON u.id = t.owner_id WHERE t.deleted_at IS NULL ORDER BY t.id`,
  ]);
  return rows.map((row) => ({ ...toTeam(row), owner: String(row.email) }));
}

export type Offer = Pick<Config, "plans" | "defaultPlan">;

export async function readOffer(place: Place): Promise<Offer> {
  return toOffer(await (place.kind === "local" ? readLocalVars() : readDeployedVars(place.config)));
}

/** Reads the plans and packs. The check of the variables requires keys, which are not used. */
export function toOffer({ PLANS = "", DEFAULT_PLAN = "" }: Vars): Offer {
  return checkVars({
    ENVIRONMENT: "production",
    ENCRYPTION_KEYS: createEncryptionKeys(),
    SIGNING_KEY: createSigningKey(),
    PLANS,
    DEFAULT_PLAN,
  });
}

export async function readLocalVars(): Promise<Vars> {
  return {
    ...readTomlVars(await readFile(inProject("wrangler.toml"), "utf8")),
    ...(await readDevVars(join(inProject(), ".dev.vars")).catch(() => ({}))),
  };
}

const deployed = z.looseObject({ vars: z.record(z.string(), z.unknown()).default({}) });

export async function readDeployedVars(config: string): Promise<Vars> {
  const { vars } = deployed.parse(JSON.parse(await readFile(config, "utf8")));
  return Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, String(value)]));
}
