import type { Failure } from "../../core/failures.ts";
import { asSentence } from "../../core/text.ts";
import { SECOND } from "../../core/time.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { Connector, Fetch } from "../../platforms/connector.ts";
import type { IdentifyOptions } from "../../platforms/login.ts";
import { accountById } from "../accounts/repo.ts";
import { platformIdOf } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { NoCredentials, openCredentials, platformFetch } from "../logins/platform-access.ts";
import { expireLogin } from "../logins/repo.ts";
import type { UploadRow } from "../posts/table.ts";

/** Time limit for all calls that ask who the account is. */
const QUESTION_SECONDS = 10;

export interface Attempt {
  upload: UploadRow;
  connector: Connector;
}

export interface Ending {
  failure: Failure;
  alongside?: Query<number>[];
}

export async function judgeAccess(
  deps: Deps,
  { upload, connector }: Attempt,
  failure: Failure,
): Promise<Ending> {
  // The login may have been renewed.
  const find = accountById(upload.teamId, upload.accountId);
  const [[account]] = await deps.db.run([find]);
  if (account?.status !== "active") return { failure };
  const standing = await askPlatform(deps, connector, account);
  deps.log({ event: "account.asked", accountId: account.id, standing });
  switch (standing) {
    case "refused":
      return { failure, alongside: expireLogin(deps, account, failure.message) };
    case "accepted":
      return { failure: { ...failure, message: explain(connector, account, failure.message) } };
    case "unknown":
      return { failure };
    default:
      return standing satisfies never;
  }
}

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
      connector.identify(fetch, credentials, {
        service: account.service,
        pageId,
        app: account.app,
      });
    const { id } = platformIdOf(account);
    let answer = await ask(null);
    // The login may be a person's, and the account a page of that person.
    if (answer.ok && answer.value.profile.platformAccountId !== id) answer = await ask(id);
    if (answer.ok) return "accepted";
    return answer.error.final ? "refused" : "unknown";
  } catch (error) {
    return error instanceof NoCredentials ? "refused" : "unknown";
  }
}

function explain(
  { platform, needs, pagesApp }: Connector,
  { app }: Pick<AccountRow, "app">,
  refusal: string,
): string {
  const page = pagesApp && pagesApp.app === app ? pagesApp.consent : null;
  const scopes = page ? [...page.required, ...(page.usual ?? page.optional)] : needs.scopes;
  const grant =
    scopes.length > 0
      ? `Reconnect it with every permission granted (${scopes.join(", ")}), or have the restriction lifted at ${platform}`
      : `Have the restriction lifted at ${platform}`;
  return `${asSentence(refusal)} The account is still connected: a permission is missing, or ${platform} restricts it. ${grant}, then retry.`;
}
