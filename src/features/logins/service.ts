import { AppError, errorName, invalidFields, notFound } from "../../core/errors.ts";
import { type Result, refuse } from "../../core/result.ts";
import type { Ctx } from "../../deps.ts";
import type { Refused, TokenExpired } from "../../platforms/connector.ts";
import type {
  AudienceStats,
  Board,
  Creator,
  Extras,
  OrganizationPage,
} from "../../platforms/extras.ts";
import { connectorOf, connectors } from "../../platforms/registry.ts";
import type { AccountCall } from "../../platforms/removal.ts";
import { accountById, accountsOfTeam } from "../accounts/repo.ts";
import { accountRefusal, isSwitchedOff } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { mayUse } from "../auth/rules.ts";
import { createCall, NoCredentials, toPublishAccount } from "./platform-access.ts";
import type { Login } from "./refresh.ts";
import { usableLogin } from "./usable-login.ts";

/**
 * Without an account id, returns the pages of all active accounts, each page once.
 *
 * Spec is silent: accounts with a lost login are left out, unless all are lost. Other failures are reported, so that a
 * partial list never looks complete.
 *
 * @throws AppError NOT_FOUND, 400 for another platform's account, ACCOUNT_INACTIVE, RATE_LIMIT, UNAVAILABLE
 */
export async function listPages(ctx: Ctx, accountId?: string): Promise<OrganizationPage[]> {
  if (accountId !== undefined) {
    return pagesOf(ctx, await requireAccount(ctx, "pages", accountId));
  }
  const reads = platformsWith("pages").map((platform) =>
    accountsOfTeam(ctx.team, { platform, status: "active" }),
  );
  const rows = (await ctx.read("accounts:read", reads)).flat();
  const answers = await Promise.allSettled(
    rows
      .filter((account) => !isSwitchedOff(account, ctx.config))
      .map((account) => pagesOf(ctx, account)),
  );
  const refusals = answers.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  const grave = refusals.find((reason) => !isLoginLost(reason));
  if (grave) throw grave;
  if (refusals.length > 0 && refusals.length === answers.length) throw refusals[0];
  const pages = answers.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  return [...new Map(pages.map((page) => [page.id, page])).values()];
}

const isLoginLost = (reason: unknown): boolean =>
  reason instanceof AppError && reason.code === "ACCOUNT_INACTIVE";

const pagesOf = (ctx: Ctx, account: AccountRow): Promise<OrganizationPage[]> =>
  ask(ctx, account, (extras, { fetch, accessToken }) =>
    extras.pages?.(fetch, accessToken, toPublishAccount(account)),
  );

export async function listBoards(ctx: Ctx, accountId: string): Promise<Board[]> {
  const account = await requireAccount(ctx, "boards", accountId);
  return ask(ctx, account, (extras, { fetch, accessToken }) => extras.boards?.(fetch, accessToken));
}

export async function readStats(ctx: Ctx, accountId: string): Promise<AudienceStats> {
  const account = await requireAccount(ctx, "stats", accountId);
  return ask(ctx, account, (extras, { fetch, accessToken }) => extras.stats?.(fetch, accessToken));
}

export async function readCreator(ctx: Ctx, accountId: string): Promise<Creator> {
  const account = await requireAccount(ctx, "creator", accountId);
  return ask(ctx, account, (extras, { fetch, accessToken }) =>
    extras.creator?.(fetch, accessToken),
  );
}

const platformsWith = (extra: keyof Extras) =>
  connectors().flatMap(({ platform, extras }) => (extras?.[extra] ? [platform] : []));

/** @throws AppError NOT_FOUND, 400 for another platform's account, ACCOUNT_INACTIVE */
async function requireAccount(ctx: Ctx, extra: keyof Extras, id: string): Promise<AccountRow> {
  const [[account]] = await ctx.read("accounts:read", [accountById(ctx.team, id)]);
  if (!account || !mayUse(ctx.actor, id)) throw notFound("Account");
  const platforms = platformsWith(extra);
  if (!platforms.includes(account.platform)) {
    const message = `accountId: ${account.accountName} is an account of ${account.platform}, not of ${platforms.join(" or ")}.`;
    throw invalidFields([{ field: "accountId", message }]);
  }
  const refusal = accountRefusal(account, ctx.config);
  if (refusal) throw inactive(refusal);
  return account;
}

type Answer<T> = Result<T, Refused | TokenExpired>;

type Question<T> = (extras: Extras, call: AccountCall) => Promise<Answer<T>> | undefined;

/**
 * @throws AppError ACCOUNT_INACTIVE when the login is lost, RATE_LIMIT by the platform, UNAVAILABLE when it does not
 * answer or refuses
 */
export async function ask<T>(ctx: Ctx, account: AccountRow, question: Question<T>): Promise<T> {
  const answer = await askWithLogin(ctx, account, (call) => answerOf(ctx, account, question, call));
  if (answer.ok) return answer.value;
  throw toAppError(account, answer.error);
}

/**
 * Renews the login once when the platform refuses it.
 *
 * @throws AppError ACCOUNT_INACTIVE when the login is lost, UNAVAILABLE while it is renewed
 */
export async function askWithLogin<T>(
  ctx: Ctx,
  account: AccountRow,
  question: (call: AccountCall) => Promise<Answer<T>>,
): Promise<Result<T, Refused>> {
  let staleToken: string | null = null;
  for (let tries = 0; tries < 2; tries++) {
    const login = await logIn(ctx, account, staleToken);
    const answer = await question(createCall(ctx, account, login));
    if (answer.ok) return answer;
    if (answer.error.kind !== "token_expired") return refuse(answer.error);
    staleToken = login.accessToken;
  }
  throw inactive(`${account.platform} refuses the account's login. Reconnect the account.`);
}

/** Returns null when the platform does not answer. */
export async function askForAnswer<T>(
  ctx: Ctx,
  account: AccountRow,
  question: (call: AccountCall) => Promise<Answer<T>>,
): Promise<Result<T, Refused | AppError> | null> {
  try {
    return await askWithLogin(ctx, account, question);
  } catch (error) {
    if (error instanceof AppError) return refuse(error);
    const { id: accountId, platform } = account;
    ctx.log({ event: "account.no_answer", accountId, platform, error: errorName(error) });
    return null;
  }
}

const LOGIN_BUSY_SECONDS = 2;

async function logIn(ctx: Ctx, account: AccountRow, staleToken: string | null) {
  let login: Login;
  try {
    login = await usableLogin(ctx, connectorOf(account.platform), account, staleToken);
  } catch (error) {
    if (error instanceof NoCredentials) throw inactive(error.message);
    throw error;
  }
  if (login.kind === "ready") return login.credentials;
  if (login.kind === "refused") {
    throw login.final ? inactive(login.message) : unavailable(login.message);
  }
  throw unavailable(
    "The account's login is being renewed. Ask again in a moment.",
    LOGIN_BUSY_SECONDS,
  );
}

async function answerOf<T>(
  ctx: Ctx,
  account: AccountRow,
  question: Question<T>,
  call: AccountCall,
): Promise<Answer<T>> {
  const { platform } = account;
  try {
    const { extras = {} } = connectorOf(platform);
    const answer = await question(extras, call);
    if (answer) return answer;
  } catch (error) {
    ctx.log({
      event: "account.no_answer",
      accountId: account.id,
      platform,
      error: errorName(error),
    });
    throw unavailable(`${connectorOf(platform).name} did not answer. Try again later.`);
  }
  throw new Error(`${platform} cannot be asked that.`);
}

export function toAppError({ platform }: AccountRow, { failure }: Refused): AppError {
  const { code, message, retryAfterSeconds } = failure;
  const { name } = connectorOf(platform);
  if (code === "account_disconnected") return inactive(message);
  if (code === "rate_limited") {
    return new AppError("RATE_LIMIT", `${name} takes no more calls for now: ${message}`, {
      headers: toRetryAfter(retryAfterSeconds),
    });
  }
  return unavailable(
    message.startsWith(`${name} `) ? message : `${name} refused: ${message}`,
    retryAfterSeconds,
  );
}

const inactive = (message: string) => new AppError("ACCOUNT_INACTIVE", message);

const unavailable = (message: string, retryAfterSeconds?: number) =>
  new AppError("UNAVAILABLE", message, { headers: toRetryAfter(retryAfterSeconds) });

const toRetryAfter = (seconds: number | undefined): Record<string, string> =>
  seconds === undefined ? {} : { "Retry-After": String(Math.ceil(seconds)) };
