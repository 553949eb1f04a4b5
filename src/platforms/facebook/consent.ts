import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import type { ConsentPage } from "../consent.ts";
import { consentRefusal, requestedScopes, standardBegin } from "../kit/consents.ts";
import { toProfile } from "../kit/logins.ts";
import { exchangeMetaCode } from "../meta/consent.ts";
import { explainRefusal } from "../meta/explain.ts";
import { graphId, unixTime } from "../meta/graph.ts";
import { exchangeCodeRequest, readerOf } from "./api.ts";
import { toCredentials, toOwner } from "./auth.ts";
import { apiVersion, scopes } from "./capabilities.ts";
import { debugTokenRequest, exchanged, exchangeTokenRequest } from "./lasting.ts";
import { listManagedPages, type ManagedPage } from "./managed-pages.ts";

const NAME = "Facebook";

/**
 * `rerequest` asks again for declined permissions.
 * @see https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow
 * @see https://developers.facebook.com/docs/facebook-login/facebook-login-for-business
 */
export const begin = standardBegin(
  `https://www.facebook.com/${apiVersion.version}/dialog/oauth`,
  (app) => ({
    // In apps of type Business, a configuration lists the permissions.
    ...(app.configId
      ? { config_id: app.configId }
      : { scope: requestedScopes(scopes, app).join(",") }),
    auth_type: "rerequest",
  }),
);

const readExchanged = readerOf(exchanged);

/** A permission without `target_ids` covers all Pages. */
const granular = z.object({
  scope: z.string(),
  target_ids: z.array(graphId).nullish().catch(null),
});

const readDebugged = readerOf(
  z
    .object({
      data: z.object({
        user_id: graphId,
        scopes: z.array(z.string()),
        data_access_expires_at: unixTime,
        granular_scopes: z.array(granular).nullish().catch(null),
      }),
    })
    .transform(({ data }) => data),
);

export const finish: ConsentPage["finish"] = async (fetch, back, app) => {
  const granted = await exchangeMetaCode(fetch, NAME, exchangeCodeRequest, back, app);
  if (!granted.ok) return granted;
  const lasting = await readExchanged(
    await fetch(exchangeTokenRequest(granted.value.accessToken, app)),
  );
  if (!lasting.ok) return refuse(explainRefusal(NAME, lasting.error));
  const token = lasting.value.access_token;
  const debugged = await readDebugged(await fetch(debugTokenRequest(token, app)));
  if (!debugged.ok) return refuse(explainRefusal(NAME, debugged.error));
  const { user_id: platformUserId, scopes: own, granular_scopes } = debugged.value;
  const { data_access_expires_at: dataAccessEndsAt } = debugged.value;
  // The Pages cannot be read without these permissions.
  if (scopes.required.some((scope) => !own.includes(scope))) {
    return ok({ accounts: [], scopes: own });
  }
  const targetsOf = (scope: string) =>
    granular_scopes?.find((one) => one.scope === scope)?.target_ids ?? [];
  const publishable = targetsOf("pages_manage_posts");
  const pages = await listManagedPages(fetch, token, {
    named: [...targetsOf("pages_show_list"), ...publishable],
    hasPortfolio: own.includes("business_management"),
  });
  if (!pages.ok) return refuse(explainRefusal(NAME, pages.error));
  const isGranted = ({ id }: ManagedPage) => publishable.length === 0 || publishable.includes(id);
  const accounts = pages.value.filter(isGranted).flatMap(({ access_token, tasks, ...one }) =>
    access_token && mayPublish(tasks)
      ? {
          profile: toProfile({ ...toOwner(one), userId: platformUserId }),
          credentials: {
            ...toCredentials(access_token),
            ...(dataAccessEndsAt ? { dataAccessEndsAt } : {}),
          },
        }
      : [],
  );
  return accounts.length > 0
    ? ok({ accounts, scopes: own, requested: requestedScopes(scopes, app) })
    : consentRefusal("no_account", explainNone(pages.value));
};

/** @see https://developers.facebook.com/docs/pages-api/overview */
const PUBLISHING_TASKS = /^(?:PROFILE_PLUS_)?(?:CREATE_CONTENT|MANAGE|FULL_CONTROL)$/;

const mayPublish = (tasks: readonly string[] | null | undefined): boolean =>
  !tasks || tasks.some((task) => PUBLISHING_TASKS.test(task));

const MAX_NAMES = 5;

function explainNone(pages: readonly ManagedPage[]): string {
  if (pages.length === 0) {
    return "Facebook named no Page. Connect again and choose a Page there; to change an earlier choice, look for Edit settings. A person's own profile cannot be connected.";
  }
  const names = pages
    .slice(0, MAX_NAMES)
    .map(({ name }) => name)
    .join(", ");
  return `You may not publish as ${names}. Have somebody with full control of the Page give you the task to create content, or choose another Page.`;
}
