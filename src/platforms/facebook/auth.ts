import { ok, type Result, refuse } from "../../core/result.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type {
  Connected,
  Credentials,
  Fetch,
  IdentifyOptions,
  LoginRefusal,
  Profile,
  PublishAccount,
} from "../connector.ts";
import type { GraphRefusal } from "../meta/graph.ts";
import {
  getMeRequest,
  getPageRequest,
  type Page,
  readGetMeReply,
  readGetPageReply,
} from "./api.ts";
import { isLoginLost, isRefusedParameter } from "./failures.ts";

const toLoginRefusal = (refusal: GraphRefusal): LoginRefusal => ({
  message: refusal.message,
  final: isLoginLost(refusal),
});

function toProfile({ id, name, username, picture }: Page): Profile {
  const url = picture?.data.url;
  return {
    platformAccountId: id,
    accountName: name.trim() || id,
    handle: username ?? null,
    profileImageUrl: url && refusedUrl(url) === null ? url : null,
    service: null,
  };
}

/** A Page's token from a long-lived one does not expire. Source: Meta, "Get Long-Lived Tokens". */
const toCredentials = (accessToken: string): Credentials => ({
  accessToken,
  refreshToken: null,
  expiresAt: null,
});

/** The Page whose token it is, or the one named, with its own token in place of the person's. */
export async function identify(
  fetch: Fetch,
  { accessToken }: Credentials,
  { pageId }: Pick<IdentifyOptions, "pageId">,
): Promise<Result<Connected, LoginRefusal>> {
  return pageId === null
    ? identifyToken(fetch, accessToken)
    : identifyPage(fetch, accessToken, pageId);
}

async function identifyToken(
  fetch: Fetch,
  accessToken: string,
): Promise<Result<Connected, LoginRefusal>> {
  const reply = await readGetMeReply(await fetch(getMeRequest(accessToken)));
  if (reply.ok) {
    return ok({ profile: toProfile(reply.value), credentials: toCredentials(accessToken) });
  }
  if (!isRefusedParameter(reply.error, "nonexisting field"))
    return refuse(toLoginRefusal(reply.error));
  const message = "This is a person's token: send the id of the Page to publish as, as pageId.";
  return refuse({ message, final: true, field: "pageId" });
}

async function identifyPage(
  fetch: Fetch,
  accessToken: string,
  pageId: string,
): Promise<Result<Connected, LoginRefusal>> {
  const reply = await readGetPageReply(await fetch(getPageRequest(accessToken, pageId)));
  if (!reply.ok) {
    const isNoPage = isRefusedParameter(reply.error, "");
    return refuse({ ...toLoginRefusal(reply.error), ...(isNoPage ? { field: "pageId" } : {}) });
  }
  const { access_token: own, ...page } = reply.value;
  if (!own) {
    const message = `The token may not publish as ${page.name}: it lacks a role there, or pages_manage_posts.`;
    return refuse({ message, final: true, field: "pageId" });
  }
  return ok({ profile: toProfile(page), credentials: toCredentials(own) });
}

/** What still lives may ask for its Page's token anew; what does not, only a person can renew. */
export async function refresh(
  fetch: Fetch,
  { accessToken }: Credentials,
  { platformAccountId }: Pick<PublishAccount, "platformAccountId">,
): Promise<Result<Credentials, LoginRefusal>> {
  const reply = await readGetPageReply(await fetch(getPageRequest(accessToken, platformAccountId)));
  if (!reply.ok) return refuse(toLoginRefusal(reply.error));
  return ok(toCredentials(reply.value.access_token ?? accessToken));
}

/** Nothing to call: to revoke would end the person's other Pages and Instagram accounts as well. */
export async function revoke(): Promise<void> {}
