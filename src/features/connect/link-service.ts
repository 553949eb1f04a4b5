import { AppError, invalidFields, notFound } from "../../core/errors.ts";
import { HOUR } from "../../core/time.ts";
import type { Ctx, Deps } from "../../deps.ts";
import { connectorOf, platformName } from "../../platforms/registry.ts";
import { logoPath } from "../settings/rules.ts";
import {
  claimsEndAt,
  deletionRefusal,
  type LinkStatus,
  linkStatus,
  tooManyLinks,
} from "./link-rules.ts";
import type { NewLink } from "./link-schema.ts";
import { linkTokenOf, readLinkToken } from "./links.ts";
import * as repo from "./repo/links.ts";
import { MAX_IDENTIFIER, refusedRedirect } from "./rules.ts";
import { type Opener, openTry, refusedForCaller, refusedPlatform } from "./start.ts";
import type { ConnectionLinkRow } from "./table.ts";

/** A link with the token of its page. */
export type TokenLink = ConnectionLinkRow & { token: string; status: LinkStatus };

const withToken = async (deps: Deps, row: ConnectionLinkRow): Promise<TokenLink> => ({
  ...row,
  token: await linkTokenOf(deps, row.id),
  status: linkStatus(row, deps.now()),
});

/**
 * Makes a link by which a client connects an account to the team.
 *
 * @throws AppError 400 for a platform that this instance cannot connect, or an address that cannot be used;
 * PLAN_LIMIT when too many links are pending
 */
export async function createLink(ctx: Ctx, input: NewLink): Promise<TokenLink> {
  await ctx.read("accounts:write", []);
  const { platform, mode = "live", logoUrl = null, redirectUrl = null } = input;
  const given = { platform: refusedForCaller(ctx, { platform, mode }), ...refusedUrls(input, ctx) };
  const errors = Object.entries(given).flatMap(([field, message]) =>
    message ? [{ field, message }] : [],
  );
  if (errors.length > 0) throw invalidFields(errors);
  const { teamId, userId: createdBy, tokenId } = ctx.actor;
  const { title = null, description = null } = input;
  const tags = JSON.stringify(input.tags);
  const now = ctx.now();
  const expiresAt = new Date(now.getTime() + Math.round(input.expiresInHours * HOUR));
  const link = { ...{ teamId, platform, mode, logoUrl, title }, description, redirectUrl, tags };
  const [[row]] = await ctx.db.run([
    repo.insertLink({ ...link, createdBy, tokenId, now, expiresAt }),
  ]);
  if (!row) throw tooManyLinks();
  return withToken(ctx, row);
}

/** Tells of each address of a link why it cannot be used; null where it can. */
function refusedUrls({ logoUrl, redirectUrl }: NewLink, { config }: Pick<Deps, "config">) {
  const judge = (field: string, text: string | undefined): string | null => {
    const refusal = text === undefined ? null : refusedRedirect(text, config);
    return refusal && `${field} ${refusal}.`;
  };
  return { logoUrl: judge("logoUrl", logoUrl), redirectUrl: judge("redirectUrl", redirectUrl) };
}

/** The pending links and the newest others, newest first. */
export async function listLinks(ctx: Ctx): Promise<TokenLink[]> {
  const [rows] = await ctx.read("accounts:read", [linksQuery(ctx)]);
  return withTokens(ctx, rows);
}

/** The list, to be read in a batch of the caller's, and given to `withTokens`. */
export const linksQuery = (ctx: Ctx) => repo.linksOfTeam({ team: ctx.team, now: ctx.now() });

export const withTokens = (deps: Deps, rows: ConnectionLinkRow[]): Promise<TokenLink[]> =>
  Promise.all(rows.map((row) => withToken(deps, row)));

/** @throws AppError NOT_FOUND; NOT_CANCELLABLE for a link that was used or has expired */
export async function deleteLink(ctx: Ctx, id: number): Promise<void> {
  await ctx.read("accounts:write", []);
  const { teamId } = ctx.actor;
  const now = ctx.now();
  const [[link], deleted] = await ctx.db.run([
    repo.linkOfTeam({ teamId, id }),
    repo.deleteLink({ teamId, id, now, claimsEndAt: claimsEndAt(now) }),
  ]);
  if (!link) throw notFound("Link");
  if (deleted === 0) throw deletionRefusal(linkStatus(link, now));
}

/** A link as its page shows it to whoever holds its token. */
export interface ShownLink {
  row: repo.BrandedLink;
  status: LinkStatus;
  /** Name that the team shows to clients. */
  brand: string | null;
  /** The address of the logo; a path where it is the team's own. */
  logo: string | null;
  asks: string | null;
  identifierLabel: string | null;
  /** Reason why this instance cannot connect the platform any more, in words for its owner; null where it can. */
  refusal: string | null;
}

/** `withdrawn`: the token is ours, and the link is gone. */
export type FoundLink = ShownLink | "forged" | "withdrawn";

/** Finds the link of a token: of a forged one the database is not asked. */
export async function findLink(deps: Deps, token: string): Promise<FoundLink> {
  const id = await readLinkToken(deps, token);
  if (id === null) return "forged";
  const [[row]] = await deps.db.run([repo.linkById({ id })]);
  if (!row) return "withdrawn";
  const { branding, logoUrl, platform } = row;
  const { consent } = connectorOf(platform);
  const own = branding?.logo ? logoPath(branding.logo) : null;
  return {
    row,
    status: linkStatus(row, deps.now()),
    brand: branding?.name ?? null,
    logo: logoUrl ?? own,
    asks: consent?.asks ?? null,
    identifierLabel: consent?.identifierLabel ?? null,
    refusal: refusedPlatform(deps, row),
  };
}

/**
 * Begins to connect an account by a link that is pending.
 *
 * @throws AppError 400 where the handle that its platform needs is missing, or the platform cannot be
 * connected here any more
 */
export async function openLink(
  deps: Deps,
  { row, identifierLabel, refusal }: ShownLink,
  identifier: string,
): Promise<Opener> {
  const { id: linkId, teamId, platform, mode, redirectUrl: returnTo } = row;
  const name = platformName(platform);
  if (refusal !== null) {
    throw new AppError(null, `${name} cannot be connected here for now. ${TELL_SENDER}`);
  }
  // Simulated servers are all one.
  if (identifierLabel !== null && identifier === "" && mode === "live") {
    throw new AppError(null, `Fill in “${identifierLabel}” first.`);
  }
  if (identifier.length > MAX_IDENTIFIER) {
    throw new AppError(null, `“${identifierLabel}” has at most ${MAX_IDENTIFIER} characters.`);
  }
  const given = identifierLabel === null ? null : identifier || null;
  return openTry(deps, { teamId, platform, mode, identifier: given, returnTo, linkId });
}

export const TELL_SENDER = "Tell the person who sent you the link.";
