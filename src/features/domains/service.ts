import { AppError, invalidFields, notFound } from "../../core/errors.ts";
import { hostNameOf } from "../../core/hosts.ts";
import { MINUTE } from "../../core/time.ts";
import type { Ctx, Deps } from "../../deps.ts";
import { activityLine, INSERTED } from "../activity/repo.ts";
import { forgetPlaces } from "../links/hot-links.ts";
import { endForeignClaim, ownRecord, refusalOfHost } from "./claims.ts";
import { hasText, missingRecords } from "./dns.ts";
import { checkHostname, createHostname, type EdgeHostname, leaveEdge } from "./edge.ts";
import * as repo from "./repo.ts";
import {
  isPublicSuffix,
  MAX_DOMAINS,
  readDomainName,
  refusedDomain,
  requireDomainPlan,
} from "./rules.ts";
import type { NewDomain } from "./schema.ts";

/** @throws AppError FORBIDDEN for another team */
function requireOwnTeam({ actor }: Ctx, teamId: number | undefined): void {
  if (teamId === undefined || teamId === actor.teamId) return;
  throw new AppError(
    "FORBIDDEN",
    `This call is for team ${actor.teamId}. Send X-Team-ID: ${teamId} to act for that one.`,
  );
}

/** Without `teamId`: the caller's personal domains. */
export async function listDomains(ctx: Ctx, teamId: number | undefined) {
  const [rows] = await ctx.read("links:read", [repo.domainsOf(ctx.team, teamId !== undefined)]);
  requireOwnTeam(ctx, teamId);
  return rows;
}

/**
 * @param origin the origin of the call
 * @throws AppError 400 for an unusable domain; FORBIDDEN by the plan; DOMAIN_TAKEN; PLAN_LIMIT; UNAVAILABLE when
 * Cloudflare does not answer
 */
export async function addDomain(ctx: Ctx, { domain, teamId }: NewDomain, origin: string) {
  const [[plan], [count = 0]] = await ctx.read("links:write", [
    repo.teamPlan(ctx.team),
    repo.countDomains(ctx.team),
  ]);
  requireOwnTeam(ctx, teamId);
  requireDomainPlan(ctx.config, plan);
  requireOwnAddress(ctx);
  const host = await requireDomain(ctx, domain, origin);
  if (count >= MAX_DOMAINS) throw tooMany();
  const [[holder]] = await ctx.db.run([repo.holderOf(host)]);
  if (holder) await endForeignClaim(ctx, holder);
  const records = await newRecords(ctx, host, origin);
  const now = ctx.now();
  const [[row]] = await ctx.db.run([
    repo.insertDomain({
      teamId: ctx.actor.teamId,
      userId: ctx.actor.userId,
      isShared: teamId !== undefined,
      host,
      ...records,
      checkAt: new Date(now.getTime() + MINUTE),
      createdAt: now,
    }),
    activityLine(ctx, "domain.added", INSERTED),
  ]);
  if (row) return row;
  // A simultaneous call has added the domain, and owns its hostname at Cloudflare.
  const [[faster]] = await ctx.db.run([repo.holderOf(host)]);
  throw faster ? await refusalOfHost(ctx, faster) : tooMany();
}

/** Without PUBLIC_URL, requests for a domain look like requests for the instance. @throws AppError UNAVAILABLE */
function requireOwnAddress({ config }: Pick<Deps, "config">): void {
  if (config.publicUrl !== null || config.isDevelopment) return;
  throw new AppError(
    "UNAVAILABLE",
    "This instance cannot serve domains yet: its owner has to set PUBLIC_URL, by which its own address is known.",
  );
}

async function requireDomain({ config }: Ctx, text: string, origin: string): Promise<string> {
  const host = readDomainName(text);
  const refusal =
    host === null
      ? "must be a fully qualified domain name, such as go.example.com"
      : (refusedDomain(host, config, origin) ??
        ((await isPublicSuffix(host))
          ? "is a public suffix, under which others have domains of their own: give a domain of yours"
          : null));
  if (host !== null && refusal === null) return host;
  throw invalidFields([{ field: "domain", message: `domain: ${refusal}` }]);
}

const tooMany = (): AppError =>
  new AppError("PLAN_LIMIT", `A team has at most ${MAX_DOMAINS} domains. Delete one first.`);

type NewRecords = Pick<repo.DomainRow, "edgeHostnameId" | "txtName" | "txtValue" | "cnameTarget">;

async function newRecords(ctx: Ctx, host: string, origin: string): Promise<NewRecords> {
  const { publicUrl, shortDomain, edge } = ctx.config;
  const ownHost = hostNameOf(shortDomain ?? new URL(publicUrl ?? origin).host);
  const record = await ownRecord(ctx, { teamId: ctx.actor.teamId, host });
  if (!edge) return { edgeHostnameId: null, ...record, cnameTarget: ownHost };
  const { id, cnameTarget } = await createHostname(ctx, host);
  return { edgeHostnameId: id, ...record, cnameTarget: cnameTarget || ownHost };
}

/** @throws AppError NOT_FOUND; FORBIDDEN by the plan; 400 with the missing records; UNAVAILABLE */
export async function verifyDomain(ctx: Ctx, id: number): Promise<repo.DomainRow> {
  const [[row], [plan]] = await ctx.read("links:write", [
    repo.findDomain(ctx.team, id),
    repo.teamPlan(ctx.team),
  ]);
  if (!row) throw notFound("Domain");
  requireDomainPlan(ctx.config, plan);
  if (row.verifiedAt) return row;
  const missing = await missingOf(ctx, row);
  if (missing !== null) throw new AppError(null, missing);
  const [, , [verified]] = await ctx.db.run([
    repo.markVerified(id, ctx.now()),
    activityLine(ctx, "domain.verified", id),
    repo.findDomain(ctx.actor.teamId, id),
  ]);
  forgetPlaces();
  if (!verified) throw notFound("Domain");
  return verified;
}

/** Says what the domain lacks; null if it can carry links. @throws AppError UNAVAILABLE */
export async function missingOf(
  deps: Pick<Deps, "config" | "fetch" | "log">,
  row: Pick<repo.DomainRow, "host" | "edgeHostnameId" | "txtName" | "txtValue" | "cnameTarget">,
): Promise<string | null> {
  if (row.edgeHostnameId === null || !deps.config.edge) {
    const missing = await missingRecords(deps, row);
    if (missing.length === 0) return null;
    return `${row.host} is not verified yet. Missing: ${missing.join("; ")}. New records can take an hour to be seen.`;
  }
  // Cloudflare activates any host that points to it, even by a previous owner's record, so the TXT record is required
  // too.
  const [isOwned, hostname] = await Promise.all([
    hasText(deps, row),
    checkHostname(deps, row.edgeHostnameId),
  ]);
  if (!hostname) {
    return `${row.host} is not known at Cloudflare any more. Delete it here, and add it again.`;
  }
  if (isOwned && hostname.isActive) return null;
  return notActive(row, isOwned, hostname);
}

function notActive(
  { host, txtName, txtValue, cnameTarget }: Parameters<typeof missingOf>[1],
  isOwned: boolean,
  edge: EdgeHostname,
): string {
  const missing = [
    ...(isOwned ? [] : [`a TXT record ${txtName} with the value ${txtValue}`]),
    ...(edge.isActive
      ? []
      : [`for Cloudflare, a CNAME record to ${cnameTarget}${earlyRecord(host, edge)}`]),
  ];
  return `${host} is not verified yet. Missing: ${missing.join("; ")}. New records can take an hour to be seen. ${edge.problems.join(" ")}`.trim();
}

const earlyRecord = (host: string, { txtName, txtValue }: EdgeHostname): string =>
  txtValue && ` and, until ${host} leads here, a TXT record ${txtName} with the value ${txtValue}`;

/** @throws AppError NOT_FOUND */
export async function deleteDomain(ctx: Ctx, id: number): Promise<repo.DomainRow> {
  const [[row]] = await ctx.read("links:write", [repo.findDomain(ctx.team, id)]);
  if (!row) throw notFound("Domain");
  const { teamId } = ctx.actor;
  const [deleted] = await ctx.db.run(
    repo.deleteDomain(teamId, id, ctx.now(), activityLine(ctx, "domain.removed", id)),
  );
  forgetPlaces();
  if (deleted === 0) throw notFound("Domain");
  ctx.defer(leaveEdge(ctx, row));
  return row;
}
