import { ok, type Result, refuse } from "../../core/result.ts";
import type { Fetch } from "../connector.ts";
import { finalRefusal, type Owner, toConnected, unknownApp } from "../kit/logins.ts";
import type { Connected, Credentials, IdentifyOptions, LoginRefusal } from "../login.ts";
import { isAboutApp } from "../meta/failures.ts";
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
  message: isAboutApp(refusal) ? unknownApp("Facebook", refusal.message) : refusal.message,
  final: isLoginLost(refusal),
});

export const toOwner = ({ id, name, username, picture }: Page): Owner => ({
  id,
  name: name.trim() || id,
  handle: username,
  picture: picture?.data.url,
});

/** A Page token made from a long-lived token does not expire. Source: Meta, "Get Long-Lived Tokens". */
export const toCredentials = (accessToken: string): Credentials => ({
  accessToken,
  refreshToken: null,
  expiresAt: null,
});

/** With `pageId`, exchanges the person's token for the Page's token. */
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
  if (!reply.ok && isRefusedParameter(reply.error, "nonexisting field")) {
    const message =
      "This token belongs to a person. Send the id of the Page to publish as, in pageId.";
    return finalRefusal(message, "pageId");
  }
  return toConnected(reply, toCredentials(accessToken), isLoginLost, toOwner);
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
  if (own) return toConnected(ok(page), toCredentials(own), isLoginLost, toOwner);
  const message = `The token may not publish as ${page.name}: it lacks a role there, or pages_manage_posts.`;
  return finalRefusal(message, "pageId");
}

export async function refreshPage(
  fetch: Fetch,
  { accessToken }: Credentials,
  pageId: string,
): Promise<Result<Credentials, LoginRefusal>> {
  const request = getPageRequest(accessToken, pageId);
  const reply = await readGetPageReply(await fetch(request));
  if (!reply.ok) return refuse(toLoginRefusal(reply.error));
  return ok(toCredentials(reply.value.access_token ?? accessToken));
}
