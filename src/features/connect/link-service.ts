import { AppError, invalidFields, notFound } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { linkToken, readLinkToken } from "../../core/link-token.ts";
import { HOUR } from "../../core/time.ts";
import type { Ctx, Deps } from "../../deps.ts";
import { platformName } from "../../platforms/registry.ts";
import { activityLine, INSERTED } from "../activity/repo.ts";
import { type FirstTime, look, once } from "../idempotency/once.ts";
import { logoPath } from "../settings/rules.ts";
import { appFor, consentPageOf, publishesAs, refusedApp, refusedRequest } from "./apps.ts";
import * as repo from "./repo/links.ts";
import {
  claimsEndAt,
  deletionRefusal,
  type LinkStatus,
  linkPath,
  linkStatus,
  MAX_IDENTIFIER,
  refusedRedirect,
  tooManyLinks,
} from "./rules.ts";
import type { NewLink } from "./schema.ts";
import { type Opener, openTry } from "./service.ts";
import type { ConnectionLinkRow } from "./table.ts";

type Keyed = Pick<Deps, "config">;

const KIND = "connection link";

const linkTokenOf = ({ config }: Keyed, id: number): Promise<string> =>
  linkToken(config.signingKey, KIND, id);

export const linkPathOf = async (deps: Keyed, id: number): Promise<string> =>
  linkPath(await linkTokenOf(deps, id));

export type TokenLink = ConnectionLinkRow & { token: string; status: LinkStatus };

const withToken = async (deps: Deps, row: ConnectionLinkRow): Promise<TokenLink> => ({
  ...row,
  token: await linkTokenOf(deps, row.id),
  status: linkStatus(row, deps.now()),
});

/**
 * @throws AppError 400 when this instance cannot connect the platform or an address is unusable; PLAN_LIMIT when too
 * many links are pending; the errors of `once`
 */
export async function createLink(
  ctx: Ctx,
  input: NewLink,
  call: NamedCall | null,
): Promise<TokenLink> {
  const { result } = await once<null, ConnectionLinkRow>(ctx, call, () => input, {
    look: async (losses) => {
      const { stored } = await look(ctx, "accounts:write", call, []);
      if (losses > 0 && !stored) throw tooManyLinks();
      return { findings: null, stored };
    },
    make: (_, first) => storeLink(ctx, input, first),
    replay: async ({ firstUploadId }) => {
      const { teamId } = ctx.actor;
      const [[row]] = await ctx.db.run([repo.linkOfTeam({ teamId, id: firstUploadId ?? 0 })]);
      if (!row) throw notFound("Link");
      return row;
    },
  });
  return withToken(ctx, result);
}

/** Returns null for a repeated call, and when too many links are pending. */
async function storeLink(
  ctx: Ctx,
  input: NewLink,
  { isNew, keep }: FirstTime,
): Promise<ConnectionLinkRow | null> {
  const { platform, mode = "live", type = null, logoUrl = null, redirectUrl = null } = input;
  const refused = refusedRequest(ctx, { platform, mode, type });
  const errors = [
    ...(refused ? [refused] : []),
    ...Object.entries(refusedUrls(input, ctx)).flatMap(([field, message]) =>
      message ? [{ field, message }] : [],
    ),
  ];
  if (errors.length > 0) throw invalidFields(errors);
  const { teamId, userId: createdBy, tokenId } = ctx.actor;
  const { title = null, description = null } = input;
  const tags = JSON.stringify(input.tags);
  const now = ctx.now();
  const expiresAt = new Date(now.getTime() + Math.round(input.expiresInHours * HOUR));
  const [[row]] = await ctx.db.run([
    repo.insertLink(
      {
        teamId,
        platform,
        mode,
        type,
        logoUrl,
        title,
        description,
        redirectUrl,
        tags,
        createdBy,
        tokenId,
        now,
        expiresAt,
      },
      isNew,
    ),
    activityLine(ctx, "connection_page.created", INSERTED),
    ...keep(null, INSERTED),
  ]);
  return row ?? null;
}

function refusedUrls({ logoUrl, redirectUrl }: NewLink, { config }: Pick<Deps, "config">) {
  const judge = (field: string, text: string | undefined): string | null => {
    const refusal = text === undefined ? null : refusedRedirect(text, config);
    return refusal && `${field} ${refusal}.`;
  };
  return { logoUrl: judge("logoUrl", logoUrl), redirectUrl: judge("redirectUrl", redirectUrl) };
}

export async function listLinks(ctx: Ctx): Promise<TokenLink[]> {
  const [rows] = await ctx.read("accounts:read", [linksQuery(ctx)]);
  return withTokens(ctx, rows);
}

/** For callers that batch the query of `listLinks` with others. `withTokens` takes its rows. */
export const linksQuery = (ctx: Ctx) => repo.linksOfTeam({ team: ctx.team, now: ctx.now() });

export const withTokens = (deps: Deps, rows: ConnectionLinkRow[]): Promise<TokenLink[]> =>
  Promise.all(rows.map((row) => withToken(deps, row)));

/** @throws AppError NOT_FOUND; NOT_CANCELLABLE for a used or expired link */
export async function deleteLink(ctx: Ctx, id: number): Promise<void> {
  await ctx.read("accounts:write", []);
  const { teamId } = ctx.actor;
  const now = ctx.now();
  const [[link], deleted] = await ctx.db.run([
    repo.linkOfTeam({ teamId, id }),
    repo.deleteLink({ teamId, id, now, claimsEndAt: claimsEndAt(now) }),
    activityLine(ctx, "connection_page.deleted", id),
  ]);
  if (!link) throw notFound("Link");
  if (deleted === 0) throw deletionRefusal(linkStatus(link, now));
}

export interface ShownLink {
  row: repo.BrandedLink;
  status: LinkStatus;
  brand: string | null;
  color: string | null;
  /** An address, or a path if the logo is stored here. */
  logo: string | null;
  asks: string | null;
  publishesTo: string;
  identifierLabel: string | null;
  /** Why this instance can no longer connect the platform. */
  refusal: string | null;
}

/** `withdrawn`: the token is valid, but the link is deleted. */
export type FoundLink = ShownLink | "forged" | "withdrawn";

export async function findLink(deps: Deps, token: string): Promise<FoundLink> {
  const id = await readLinkToken(deps.config.signingKey, KIND, token);
  if (id === null) return "forged";
  const [[row]] = await deps.db.run([repo.linkById({ id })]);
  if (!row) return "withdrawn";
  const { branding, logoUrl, platform } = row;
  const app = appFor(deps, row);
  const consent = consentPageOf(platform, app);
  const own = branding?.logo ? logoPath(branding.logo) : null;
  return {
    row,
    status: linkStatus(row, deps.now()),
    brand: branding?.name ?? null,
    color: branding?.color ?? null,
    logo: logoUrl ?? own,
    asks: consent?.asks ?? null,
    publishesTo: publishesAs(platform, app),
    identifierLabel: consent?.identifierLabel ?? null,
    refusal: refusedApp(deps, { ...row, app }),
  };
}

/** @throws AppError 400 without the required handle, or when the platform can no longer be connected */
export async function openLink(
  deps: Deps,
  { row, identifierLabel, refusal }: ShownLink,
  identifier: string,
): Promise<Opener> {
  const { id: linkId, teamId, platform, mode, type, redirectUrl: returnTo } = row;
  const name = platformName(platform);
  if (refusal !== null) {
    throw new AppError(null, `${name} cannot be connected here for now. ${TELL_SENDER}`);
  }
  // The sandbox has only one server.
  if (identifierLabel !== null && identifier === "" && mode === "live") {
    throw new AppError(null, `Fill in “${identifierLabel}” first.`);
  }
  if (identifier.length > MAX_IDENTIFIER) {
    throw new AppError(null, `“${identifierLabel}” has at most ${MAX_IDENTIFIER} characters.`);
  }
  const account = identifierLabel === null ? null : identifier || null;
  const attempt = { teamId, platform, mode, type, identifier: account, returnTo, linkId };
  return openTry(deps, { ...attempt, app: appFor(deps, row) });
}

export const TELL_SENDER = "Tell the person who sent you the link.";
