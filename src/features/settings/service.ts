import { AppError, tooLarge } from "../../core/errors.ts";
import { randomHex } from "../../core/ids.ts";
import { allNotifications } from "../../core/notices.ts";
import type { Query, Results } from "../../db/client.ts";
import { named, runNamed } from "../../db/named.ts";
import type { Ctx } from "../../deps.ts";
import { activityLine } from "../activity/repo.ts";
import { requireOneOf } from "../auth/rules.ts";
import { changeChats, lookUpTargets, toChats } from "../notices/service.ts";
import type { Branding } from "../teams/table.ts";
import {
  detectLogoType,
  isReadable,
  LOGO_NAMES,
  LOGO_TOO_LARGE,
  MAX_LOGO_BYTES,
} from "./logo-rules.ts";
import * as repo from "./repo.ts";
import { logoKeyOf } from "./rules.ts";
import type { SettingsChange } from "./schema.ts";

type Logo = NonNullable<Branding["logo"]>;

const lookUp = (ctx: Ctx) =>
  [
    repo.settingsOfTeam({ team: ctx.team }),
    repo.notificationsOf({ user: ctx.user }),
    ...lookUpTargets(ctx),
  ] as const;

export async function readSettings(ctx: Ctx): Promise<Settings> {
  return (await readSettingsBeside(ctx, [])).settings;
}

/** Reads the settings and what else a page shows, in one round trip. */
export async function readSettingsBeside<const Q extends readonly Query<unknown>[]>(
  ctx: Ctx,
  queries: Q,
): Promise<{ settings: Settings; beside: Results<Q> }> {
  const own = named({ rows: lookUp(ctx) });
  const results: readonly unknown[] = await ctx.read("team:read", [...queries, ...own.queries]);
  const { rows } = own.read(results.slice(queries.length));
  return {
    settings: toSettings(ctx, rows),
    beside: results.slice(0, queries.length) as Results<Q>,
  };
}

type SettingsRows = Results<ReturnType<typeof lookUp>>;

function toSettings({ config }: Ctx, [[team], [person], chats, browsers]: SettingsRows) {
  if (!team) throw new Error("The caller has no team.");
  return {
    slug: team.slug,
    branding: { ...repo.NO_BRANDING, ...team.branding },
    zone: team.zone ?? "UTC",
    requireMemberApproval: team.requiresApproval,
    blocklist: team.blocklist ?? [],
    bannedHashtags: (team.bannedHashtags ?? {}) as Record<string, string[]>,
    notifications: allNotifications(person?.notifications ?? null),
    quietHours: { own: person?.quietHours ?? null, team: team.quietHours ?? null },
    messaging: toChats(chats),
    push: { publicKey: config.vapid?.publicKey ?? null, browsers },
  };
}

export type Settings = ReturnType<typeof toSettings>;

/** @throws AppError FORBIDDEN unless the caller is owner or admin; 400 for a forbidden chat address */
export async function changeSettings(ctx: Ctx, change: SettingsChange): Promise<Settings> {
  await ctx.read("team:write", []);
  const { notifications, messaging = {}, quietHours = {}, ...ofTeam } = change;
  const isOfTeam =
    Object.keys(ofTeam).length > 0 || messaging.team !== undefined || quietHours.team !== undefined;
  if (isOfTeam) requireManager(ctx);
  if (ofTeam.requireMemberApproval !== undefined) {
    requireOneOf(
      ctx.actor,
      ["OWNER"],
      "Only the owner can change if posts of members need approval.",
    );
  }
  const writes = [
    ...(Object.keys(ofTeam).length > 0
      ? [
          repo.updateSettings(ctx.team, ofTeam, ctx.now()),
          activityLine(ctx, "settings.changed", null),
        ]
      : []),
    ...(notifications !== undefined ? [repo.updateNotifications(ctx.user, notifications)] : []),
    ...(quietHours.own === undefined
      ? []
      : [repo.updateQuietHours({ whose: "users", id: ctx.user }, quietHours.own)]),
    ...(quietHours.team === undefined
      ? []
      : [repo.updateQuietHours({ whose: "teams", id: ctx.team }, quietHours.team)]),
    ...(await changeChats(ctx, messaging)),
    ...(isOfTeam && Object.keys(ofTeam).length === 0
      ? [activityLine(ctx, "settings.changed", null)]
      : []),
  ];
  const { rows } = await runNamed(ctx.db, { writes, rows: lookUp(ctx) });
  return toSettings(ctx, rows);
}

const requireManager = ({ actor }: Ctx): void =>
  requireOneOf(
    actor,
    ["OWNER", "ADMIN"],
    "Only the owner and admins change the team's settings. You can change your own notifications.",
  );

/** @throws AppError FORBIDDEN; 413 above 150 KB; 415 for another type or a damaged image */
export async function storeLogo(ctx: Ctx, bytes: Uint8Array<ArrayBuffer>): Promise<Logo> {
  await ctx.read("team:write", []);
  requireManager(ctx);
  if (bytes.length > MAX_LOGO_BYTES) throw tooLarge(LOGO_TOO_LARGE);
  const mime = detectLogoType(bytes);
  if (!mime) {
    const message =
      "The file is not a PNG, JPEG, WebP or SVG image. Save the logo as one of these.";
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", message);
  }
  if (!isReadable(bytes, mime)) {
    const message = `The file begins as ${LOGO_NAMES[mime]} but is not a whole image: it has no width and height, or ends too early. Export the logo again.`;
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", message);
  }
  const objectKey = logoKeyOf(ctx.actor.teamId, randomHex(16));
  await ctx.media.put(objectKey, bytes, { httpMetadata: { contentType: mime } });
  const logo = { objectKey, mime, sizeBytes: bytes.length };
  await replaceLogo(ctx, logo).catch(async (error: unknown) => {
    // The write may have succeeded without an answer, so a logo in use is not deleted.
    const [[now]] = await ctx.db.run([repo.settingsOfTeam({ team: ctx.team })]);
    if (now?.branding?.logo?.objectKey !== objectKey) await ctx.media.delete(objectKey);
    throw error;
  });
  return logo;
}

/** @throws AppError FORBIDDEN */
export async function removeLogo(ctx: Ctx): Promise<void> {
  await ctx.read("team:write", []);
  requireManager(ctx);
  await replaceLogo(ctx, null);
}

/** Changes the row first: a crash leaves an unused object, not a missing logo. */
async function replaceLogo(ctx: Ctx, logo: Logo | null): Promise<void> {
  const [[before]] = await ctx.db.run([
    repo.settingsOfTeam({ team: ctx.team }),
    repo.updateLogo(ctx.team, logo, ctx.now()),
    activityLine(ctx, logo ? "settings.logo_changed" : "settings.logo_removed", null),
  ]);
  const old = before?.branding?.logo?.objectKey;
  if (old) ctx.defer(ctx.media.delete(old));
}
