import { changedMeanwhile, invalidFields, notFound } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { DAY } from "../../core/time.ts";
import type { Ctx } from "../../deps.ts";
import { activityLine, INSERTED } from "../activity/repo.ts";
import { teamPlan } from "../domains/repo.ts";
import { requireDomainPlan } from "../domains/rules.ts";
import { type Done, look, once } from "../idempotency/once.ts";
import { colorOfTeam } from "../settings/repo.ts";
import { ownAddresses, shortUrlOf } from "./destinations.ts";
import { InputFields } from "./fields.ts";
import { forgetAddress } from "./hot-links.ts";
import { OWN_DOMAIN } from "./repo/addresses.ts";
import * as repo from "./repo/links.ts";
import { slugTaken } from "./rules.ts";
import type { LinkChange, LinkPage, NewLink } from "./schema.ts";
import { foldSlug, newSlug } from "./slugs.ts";
import { CLICKS_KEPT_MS, MAX_SHOWN_CLICKS, toClicks, toStatistics } from "./statistics.ts";

export function listQueries(ctx: Pick<Ctx, "team">, { page, limit, search }: LinkPage) {
  const [team, offset] = [ctx.team, (page - 1) * limit];
  const words = search?.toLowerCase();
  return words === undefined
    ? ([repo.linksOf({ team, limit, offset }), repo.countLinks({ team })] as const)
    : ([
        repo.linksWith({ team, words, limit, offset }),
        repo.countLinksWith({ team, words }),
      ] as const);
}

export async function listLinks(ctx: Ctx, filter: LinkPage) {
  const { page, limit } = filter;
  const [rows, [total = 0]] = await ctx.read("links:read", listQueries(ctx, filter));
  return { rows, pagination: { page, limit, total } };
}

/** What a page shows of a link: its clicks of `days` days and one more, for zones begin their days at other times. */
export const linkPageQueries = (ctx: Pick<Ctx, "team" | "now">, id: number, days: number) =>
  [
    repo.linkOnPage({ team: ctx.team, id }),
    repo.daysOf({
      team: ctx.team,
      id,
      since: Math.floor(ctx.now().getTime() / DAY) - days - 1,
    }),
    repo.domainsForLinks({ team: ctx.team }),
  ] as const;

interface Created {
  id: number;
  slug: string;
  shortUrl: string;
  destination: string;
  isActive: boolean;
}

/**
 * @param origin by which the instance was called
 * @throws AppError 400 with the refused fields; SLUG_TAKEN; FORBIDDEN when the plan has no domains; and the errors of
 * `once`
 */
export async function createLink(
  ctx: Ctx,
  input: NewLink,
  { call, origin }: { call: NamedCall | null; origin: string },
): Promise<Done<Created>> {
  const checked = new InputFields(input, ownAddresses(ctx.config, origin));
  const domainId = input.domainId ?? OWN_DOMAIN;
  const requestedKey = checked.fields.slugKey ?? null;
  return once<string | null, Created>(ctx, call, () => input, {
    look: async () => {
      const { findings, stored } = await look(ctx, "links:write", call, [
        checked.hostQuery,
        repo.findDomain({ team: ctx.team, id: domainId }),
        teamPlan(ctx.team),
        repo.holdersOf({ domainId, slugKey: requestedKey ?? "" }),
      ]);
      if (stored) return { findings: null, stored };
      const [shortHosts, [domain], [plan], holders] = findings;
      if (domainId !== OWN_DOMAIN) {
        requireDomainPlan(ctx.config, plan);
        judgeDomain(checked, domain);
      }
      checked.require(shortHosts);
      requireFree(checked, holders, ctx.actor.teamId);
      return { findings: domain?.host ?? null, stored };
    },
    make: async (host, { isNew, keep }) => {
      const { teamId, userId } = ctx.actor;
      const slug = checked.fields.slug ?? newSlug();
      const slugKey = foldSlug(slug);
      const link = { ...DEFAULTS, ...checked.fields, domainId, slug, slugKey };
      const row = { ...link, teamId, createdBy: userId, createdAt: ctx.now() };
      const answer = {
        slug,
        shortUrl: shortUrlOf(ctx.config, origin, { host, slug }),
        destination: row.destination,
        isActive: row.isActive,
      };
      const [, [id]] = await ctx.db.run([
        repo.releaseSlug({ teamId, domainId, slugKey }),
        repo.insertLink(row, isNew),
        activityLine(ctx, "link.created", INSERTED),
        ...keep(answer, repo.NEW_ID),
      ]);
      if (id === undefined) return null;
      forgetAddress({ host, slug: slugKey });
      return { id, ...answer };
    },
    replay: ({ answer, firstUploadId }) => ({
      id: firstUploadId ?? 0,
      ...(answer as Omit<Created, "id">),
    }),
  });
}

const DEFAULTS = {
  destination: "",
  isActive: true,
  useDeeplink: false,
  botProtection: false,
  safeUrl: null,
  title: null,
  description: null,
  imageUrl: null,
  rules: [],
} satisfies Partial<repo.LinkFields>;

function judgeDomain(checked: InputFields, domain: repo.LinkDomain | undefined): void {
  if (!domain) checked.refuse("domainId", "is not a domain of the team");
  else if (domain.verifiedAt === null) {
    checked.refuse("domainId", "is not verified yet: see POST /domains/{id}/verify");
  }
}

function requireFree(
  checked: InputFields,
  holders: readonly repo.SlugHolder[],
  ownTeamId: number,
): void {
  if (checked.fields.slug === undefined) return;
  const isTaken = holders.some(({ teamId, isUsed }) => isUsed || teamId !== ownTeamId);
  if (isTaken) throw slugTaken(checked.fields.slug);
}

/** @throws AppError NOT_FOUND */
export async function getLink(ctx: Ctx, id: number) {
  const since = Math.floor((ctx.now().getTime() - CLICKS_KEPT_MS) / DAY);
  const [[link], messages, days] = await ctx.read("links:read", [
    repo.findLink({ team: ctx.team, id }),
    repo.newestClicks({ team: ctx.team, id, max: MAX_SHOWN_CLICKS }),
    repo.daysOf({ team: ctx.team, id, since }),
  ]);
  if (!link) throw notFound("Short link");
  const linkClicks = toClicks(messages.flatMap(({ clicks }) => clicks));
  return { link, linkClicks, statistics: toStatistics(days) };
}

/** @throws AppError NOT_FOUND */
export async function getLinkAlone(ctx: Ctx, id: number) {
  const [[link]] = await ctx.read("links:read", [repo.findLink({ team: ctx.team, id })]);
  if (!link) throw notFound("Short link");
  return link;
}

/** @throws AppError NOT_FOUND */
export async function getLinkAndColor(ctx: Ctx, id: number) {
  const [[link], [color = null]] = await ctx.read("links:read", [
    repo.findLink({ team: ctx.team, id }),
    colorOfTeam({ team: ctx.team }),
  ]);
  if (!link) throw notFound("Short link");
  return { link, color };
}

interface ChangeOptions {
  origin: string;
  /** `updatedAt` of the version that the change is of; null for any version. */
  seenAt?: Date | null;
}

/**
 * `rules` replaces all rules; an empty slug changes nothing.
 *
 * @throws AppError NOT_FOUND; 409 when the link was changed after `seenAt`; and the errors of `createLink`
 */
export async function changeLink(
  ctx: Ctx,
  id: number,
  change: LinkChange,
  { origin, seenAt = null }: ChangeOptions,
) {
  const { url, destination, domainId, ...rest } = change;
  const checked = new InputFields(
    { ...rest, url: destination ?? url },
    ownAddresses(ctx.config, origin),
    destination === undefined ? "url" : "destination",
  );
  const [[link], shortHosts, [domain], [plan]] = await ctx.read("links:write", [
    repo.findLink({ team: ctx.team, id }),
    checked.hostQuery,
    repo.findDomain({ team: ctx.team, id: domainId ?? OWN_DOMAIN }),
    teamPlan(ctx.team),
  ]);
  if (!link) throw notFound("Short link");
  requireSeen(link, seenAt);
  if (url !== undefined && destination !== undefined && url !== destination) {
    throw invalidFields([
      { field: "url", message: "url: is the same as destination: give one of them" },
    ]);
  }
  const target = domainId === undefined ? link.domainId : (domainId ?? OWN_DOMAIN);
  if (target !== link.domainId && target !== OWN_DOMAIN) {
    requireDomainPlan(ctx.config, plan);
    judgeDomain(checked, domain);
  }
  checked.require(shortHosts, link);
  if (target !== link.domainId) await requireNoOwnLink(ctx, { ...link, ...checked.fields }, origin);
  const fields: Partial<repo.LinkFields> = { ...checked.fields };
  if (target !== link.domainId) fields.domainId = target;
  await store(ctx, link, fields, seenAt);
  const [[changed]] = await ctx.db.run([repo.findLink({ team: ctx.actor.teamId, id })]);
  if (!changed) throw notFound("Short link");
  forgetAddress({ host: changed.host, slug: foldSlug(changed.slug) });
  return changed;
}

/**
 * On another domain, a link's destinations may be short links.
 *
 * @throws AppError 400 with the refused fields
 */
async function requireNoOwnLink(
  ctx: Ctx,
  { destination: url, safeUrl, rules }: Pick<repo.LinkFields, "destination" | "safeUrl" | "rules">,
  origin: string,
): Promise<void> {
  const whole = new InputFields({ url, safeUrl, rules }, ownAddresses(ctx.config, origin));
  const [shortHosts] = await ctx.db.run([whole.hostQuery]);
  whole.require(shortHosts);
}

/** @throws AppError 409 */
function requireSeen({ updatedAt }: repo.WholeLink, seenAt: Date | null): void {
  if (seenAt && updatedAt.getTime() !== seenAt.getTime()) {
    throw changedMeanwhile("The link or its rules were");
  }
}

async function store(
  ctx: Ctx,
  link: repo.WholeLink,
  fields: Partial<repo.LinkFields>,
  seenAt: Date | null,
): Promise<void> {
  if (Object.keys(fields).length === 0) return;
  const { teamId } = ctx.actor;
  const slug = fields.slug ?? link.slug;
  const address = { domainId: fields.domainId ?? link.domainId, slugKey: foldSlug(slug) };
  const isMoved = address.domainId !== link.domainId || address.slugKey !== foldSlug(link.slug);
  const [, updated] = await ctx.db.run([
    repo.releaseSlug({ teamId, ...address }),
    repo.updateLink(teamId, link.id, { fields, address, at: ctx.now(), seenAt }),
    activityLine(ctx, "link.changed", link.id),
  ]);
  forgetAddress({ host: link.host, slug: foldSlug(link.slug) });
  if (updated > 0) return;
  const [[now]] = await ctx.db.run([repo.findLink({ team: teamId, id: link.id })]);
  if (now) requireSeen(now, seenAt);
  throw isMoved ? slugTaken(slug) : notFound("Short link");
}

/** @throws AppError NOT_FOUND */
export async function deleteLink(ctx: Ctx, id: number): Promise<void> {
  await ctx.read("links:write", []);
  const { teamId } = ctx.actor;
  const [[link], deleted] = await ctx.db.run([
    repo.findLink({ team: teamId, id }),
    repo.deleteLink({ team: teamId, id, at: ctx.now() }),
    activityLine(ctx, "link.deleted", id),
  ]);
  if (!link || deleted === 0) throw notFound("Short link");
  forgetAddress({ host: link.host, slug: foldSlug(link.slug) });
}
