import type { Failure } from "../../core/failures.ts";
import { SECOND } from "../../core/time.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { Connector, Fetch } from "../../platforms/connector.ts";
import type { IdentifyOptions } from "../../platforms/login.ts";
import { NoCredentials, openCredentials, platformFetch } from "../accounts/platform-access.ts";
import { expireLogin } from "../accounts/refresh.ts";
import { accountById } from "../accounts/repo/accounts.ts";
import { platformIdOf } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import type { UploadRow } from "../posts/table.ts";

/** All calls of one question together: a profile is read at once, or not at all. */
const QUESTION_SECONDS = 10;

export interface Attempt {
  upload: UploadRow;
  connector: Connector;
}

export interface Ending {
  failure: Failure;
  /** Writes that go with the failure. */
  alongside?: Query<number>[];
}

/**
 * Asks the platform that refused the account's access once who the account is: that tells a lost login from a
 * missing permission.
 */
export async function judgeAccess(
  deps: Deps,
  { upload, connector }: Attempt,
  failure: Failure,
): Promise<Ending> {
  // Read anew: the login may have been renewed in this run, or by a person in the meantime.
  const find = accountById(upload.teamId, upload.accountId);
  const [[account]] = await deps.db.run([find]);
  if (account?.status !== "active") return { failure };
  const standing = await askPlatform(deps, connector, account);
  deps.log({ event: "account.asked", accountId: account.id, standing });
  switch (standing) {
    case "refused":
      return { failure, alongside: expireLogin(deps, account, failure.message) };
    case "accepted":
      return { failure: { ...failure, message: explain(connector, failure.message) } };
    case "unknown":
      return { failure };
  }
}

/** Returns `unknown` where there was no answer, or none about the account. */
async function askPlatform(
  deps: Deps,
  connector: Connector,
  account: AccountRow,
): Promise<"accepted" | "refused" | "unknown"> {
  const network = platformFetch(deps, account);
  const signal = AbortSignal.timeout(QUESTION_SECONDS * SECOND);
  const fetch: Fetch = (input, init) => network(input, { ...init, signal });
  try {
    const credentials = await openCredentials(deps, account);
    const ask = (pageId: IdentifyOptions["pageId"]) =>
      connector.identify(fetch, credentials, { service: account.service, pageId });
    const { id } = platformIdOf(account);
    let answer = await ask(null);
    // The login is a person's, and the account one of their pages.
    if (answer.ok && answer.value.profile.platformAccountId !== id) answer = await ask(id);
    if (answer.ok) return "accepted";
    return answer.error.final ? "refused" : "unknown";
  } catch (error) {
    return error instanceof NoCredentials ? "refused" : "unknown";
  }
}

/** The platform's own words name the permission or the restriction. */
function explain({ platform, needs }: Connector, said: string): string {
  const sentence = /[.!?]$/.test(said.trim()) ? said.trim() : `${said.trim()}.`;
  const grant =
    needs.scopes.length > 0
      ? `Reconnect it with every permission granted (${needs.scopes.join(", ")}), or have the restriction lifted at ${platform}`
      : `Have the restriction lifted at ${platform}`;
  return `${sentence} The account is still connected: a permission is missing, or ${platform} restricts it. ${grant}, then retry.`;
}
