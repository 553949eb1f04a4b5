import { AppError, invalidFields, notFound } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { linkToken, readLinkToken } from "../../core/link-token.ts";
import type { Ctx, Deps } from "../../deps.ts";
import { accountById } from "../accounts/repo.ts";
import { activityLine, INSERTED } from "../activity/repo.ts";
import {
  hasAnalytics,
  type Period,
  type PeriodFilter,
  periodOf,
  periodReads,
  planOf,
  requireAnalytics,
} from "../analytics/period.ts";
import { pictureOfPost, thumbnailsOf } from "../calendar/thumbnails.ts";
import { look, once } from "../idempotency/once.ts";
import * as repo from "./repo.ts";
import { lastDayRefusal, MAX_REPORTS } from "./rules.ts";
import type { ReportRow } from "./table.ts";

export type { ListedReport } from "./repo.ts";

export const reportPath = async (deps: Pick<Deps, "config">, id: number): Promise<string> =>
  `/report/${await linkToken(deps.config.signingKey, "report", id)}`;

export const mayRevoke = (
  { actor }: Pick<Ctx, "actor">,
  { createdBy }: Pick<ReportRow, "createdBy">,
): boolean => actor.role !== "MEMBER" || createdBy === actor.userId;

/** @throws AppError FORBIDDEN by the plan */
export async function getPeriodAndReports(ctx: Ctx, filter: PeriodFilter) {
  const now = ctx.now();
  const [reports, ...rows] = await ctx.read("analytics:read", [
    repo.reportsOfTeam({ team: ctx.team, now }),
    ...periodReads(ctx.team),
  ]);
  return { reports, period: periodOf(ctx, rows, { filter, now: now.getTime() }) };
}

export async function listReports(ctx: Ctx): Promise<repo.ListedReport[]> {
  const [reports] = await ctx.read("analytics:read", [
    repo.reportsOfTeam({ team: ctx.team, now: ctx.now() }),
  ]);
  return reports;
}

export interface NewReport extends Pick<ReportRow, "title" | "filter" | "lastDay"> {
  openMs: number;
}

/**
 * @throws AppError FORBIDDEN by the plan, NOT_FOUND, PLAN_LIMIT, 400 for a last day that is not over, and the errors of
 * `once`
 */
export async function createReport(
  ctx: Ctx,
  input: NewReport,
  call: NamedCall | null,
): Promise<{ report: ReportRow; path: string }> {
  const { title, filter, lastDay, openMs } = input;
  const { result: report } = await once<Date, ReportRow>(ctx, call, () => input, {
    look: async (losses) => {
      // After a loss, a token that was revoked meanwhile is refused here.
      const { findings, stored } = await look(ctx, "analytics:read", call, [
        planOf(ctx.team),
        accountById(ctx.team, filter.account),
      ]);
      const [[plan], accounts] = findings;
      requireAnalytics(ctx, plan);
      const createdAt = ctx.now();
      if (stored) return { findings: createdAt, stored };
      if (losses > 0) throw tooMany();
      const refusal = lastDay === null ? null : lastDayRefusal(lastDay, createdAt);
      if (refusal !== null) {
        throw invalidFields([{ field: "lastDay", message: `lastDay: ${refusal}.` }]);
      }
      if (filter.account !== "" && accounts.length === 0) throw notFound("Account");
      return { findings: createdAt, stored };
    },
    make: async (createdAt, { isNew, keep }) => {
      const { teamId, userId: createdBy, tokenId } = ctx.actor;
      const expiresAt = new Date(createdAt.getTime() + openMs);
      const row = { teamId, createdBy, tokenId, createdAt, expiresAt, title, filter, lastDay };
      const [, [report]] = await ctx.db.run([
        repo.forgetExpired(teamId, createdAt),
        repo.insertReport(row, isNew),
        activityLine(ctx, "report.created", INSERTED),
        ...keep(null, INSERTED),
      ]);
      return report ?? null;
    },
    replay: async ({ firstUploadId }) => ownReport(ctx, firstUploadId ?? 0),
  });
  return { report, path: await reportPath(ctx, report.id) };
}

const tooMany = (): AppError =>
  new AppError(
    "PLAN_LIMIT",
    `The team has ${MAX_REPORTS} report links, which is the most. Revoke one, then make a new one.`,
  );

/** @throws AppError NOT_FOUND */
async function ownReport(ctx: Ctx, id: number): Promise<ReportRow> {
  const report = (await listReports(ctx)).find((one) => one.id === id);
  if (!report) throw notFound("Report");
  return report;
}

/** @throws AppError NOT_FOUND, FORBIDDEN */
export async function revokeReport(ctx: Ctx, id: number): Promise<void> {
  const report = await ownReport(ctx, id);
  if (!mayRevoke(ctx, report)) {
    throw new AppError(
      "FORBIDDEN",
      "Another person made this report link. Ask them, an owner or an admin to revoke it.",
    );
  }
  await ctx.db.run([repo.deleteReport(report.teamId, id), activityLine(ctx, "report.revoked", id)]);
}

export interface OpenReport {
  report: ReportRow;
  period: Period;
}

/** Returns null for a token that is forged or has ended. A forged one costs no database call. */
export async function findReport(deps: Deps, token: string): Promise<OpenReport | null> {
  const id = await readLinkToken(deps.config.signingKey, "report", token);
  if (id === null) return null;
  const now = deps.now();
  const [[report], ...rows] = await deps.db.run([
    repo.openReport({ id, now }),
    ...periodReads(repo.teamIdOfReport(id, now)),
  ]);
  const [[plan]] = rows;
  if (!report || !hasAnalytics(deps, plan ?? null)) return null;
  const { filter, lastDay } = report;
  return { report, period: periodOf(deps, rows, { filter, lastDay, now: now.getTime() }) };
}

/** Signed, so that a report's address shows no other pictures of the team. */
export const reportPictureToken = (deps: Pick<Deps, "config">, uploadId: number) =>
  linkToken(deps.config.signingKey, "report picture", uploadId);

export async function findReportPicture(
  deps: Deps,
  token: string,
  picture: string,
): Promise<string | null> {
  const { signingKey } = deps.config;
  const [id, uploadId] = await Promise.all([
    readLinkToken(signingKey, "report", token),
    readLinkToken(signingKey, "report picture", picture),
  ]);
  if (id === null || uploadId === null) return null;
  const team = repo.teamIdOfReport(id, deps.now());
  const [[post]] = await deps.db.run([pictureOfPost({ team, id: uploadId })]);
  return post ? (await thumbnailsOf(deps, "", [post]))(post) : null;
}
