import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Akimbo } from "./akimbo.ts";
import type { Pds, Person, PostRecord } from "./bluesky.ts";
import { OAuthBrowser, type Page } from "./oauth-browser.ts";

/** The name of the server; nobody but Akimbo calls it by that. */
export const OAUTH_HOST = "pds.example.com";

/** The server's own page of sessions. */
const SESSIONS_PAGE = `https://${OAUTH_HOST}/account`;
/** Longer than an access token lives. Source: @atproto/oauth-provider, constants, `TOKEN_MAX_AGE`. */
const ACCESS_SECONDS = 3_700;
const DEFERRED_WORK_MS = 5_000;

/** A login as the server lists it for its person. */
interface OAuthSession {
  tokenId: string;
  clientId: string;
  clientMetadata?: {
    token_endpoint_auth_method: string;
    jwks?: { keys: Record<string, unknown>[] };
  };
  scope: string;
}

/** The way of people from an Akimbo to their server's pages and back, and what they see there. */
export interface Walk {
  /** Opens the server's page of a new try; its address. */
  openPage(person: Person): Promise<string>;
  /** Refuses there; the page of Akimbo that this ends at. */
  refuse(page: string): Promise<string>;
  /** Signs in and agrees there; the page of Akimbo that this ends at. */
  agree(page: string, person: Person): Promise<string>;
  /** Id of the account that was connected. */
  findAccount(person: Person): Promise<string>;
  listSessions(person: Person): Promise<OAuthSession[]>;
  /** Publishes, and reads back from the server what became of it. */
  publish(accountId: string, fields: Record<string, string | File[]>): Promise<PostRecord>;
  /** Publishes when the access token has run out: the same session, renewed. */
  publishRenewed(accountId: string, person: Person): Promise<void>;
  /** Disconnects the account, which ends its session at the server. */
  disconnect(accountId: string, person: Person): Promise<void>;
}

/**
 * @param site the origin by which browsers know this Akimbo
 * @param backTo the origin that the server leads back to
 */
export function createWalk(
  akimbo: Akimbo,
  pds: Pds,
  { site, backTo }: Record<"site" | "backTo", string>,
): Walk {
  const browser = new OAuthBrowser({
    [`https://${OAUTH_HOST}`]: pds.origin,
    [site]: akimbo.origin,
  });

  /** Follows the redirects from the server back to Akimbo; the page that they end at. */
  async function goBack(page: string, url: string): Promise<string> {
    const redirected = await browser.open(url, "same-origin", page);
    const callback = `${backTo}/oauth/callback/bluesky?`;
    assert.equal(redirected.location.slice(0, callback.length), callback);
    const back = await browser.open(redirected.location);
    if (backTo === site) return (await followHere(site, back)).text;
    assert.equal(new URL(back.location).origin, site);
    return (await followHere(site, await browser.open(back.location))).text;
  }

  /** Follows a redirect to a page of Akimbo's own; another answer is the page itself. */
  async function followHere(origin: string, page: Page): Promise<Page> {
    return page.status === 303 ? browser.open(new URL(page.location, origin).href) : page;
  }

  const listSessions: Walk["listSessions"] = ({ did }) =>
    browser.callApi(SESSIONS_PAGE, `/oauth-sessions?did=${did}`);

  const publish: Walk["publish"] = async (accountId, fields) =>
    pds.getPost((await akimbo.publish({ accountId, ...fields })).metadata.videoId);

  return {
    openPage: async ({ handle: identifier }) => {
      const begun = await akimbo.call<{ authorizationUrl: string; error?: string }>(
        "POST",
        "/accounts",
        { platform: "bluesky", identifier },
      );
      assert.equal(begun.status, 200, begun.body.error);
      const asked = await browser.open(begun.body.authorizationUrl);
      assert.equal(asked.status, 200, asked.text.slice(-1_000));
      const sent = await browser.goOn(begun.body.authorizationUrl);
      assert.equal(sent.status, 303, sent.text.slice(-1_000));
      const page = await browser.open(sent.location);
      assert.equal(page.status, 200, page.text.slice(0, 1_000));
      return sent.location;
    },
    refuse: async (page) => {
      const { url } = await browser.callApi<{ url: string }>(page, "/reject", {});
      return goBack(page, url);
    },
    agree: async (page, { did, handle, password }) => {
      await browser.callApi(page, "/sign-in", {
        locale: "en",
        username: handle,
        password,
        remember: true,
      });
      const { url } = await browser.callApi<{ url: string }>(page, "/consent", { did });
      return goBack(page, url);
    },
    findAccount: async ({ handle }) => {
      const { body } = await akimbo.call<{ data: { id: string; accountName: string }[] }>(
        "GET",
        "/accounts",
      );
      const account = body.data.find(({ accountName }) => accountName === handle);
      assert.ok(account, `There is no account ${handle}.`);
      return account.id;
    },
    listSessions,
    publish,
    publishRenewed: async (accountId, person) => {
      const [session] = await listSessions(person);
      await akimbo.advanceClock(ACCESS_SECONDS);
      assert.equal((await publish(accountId, { description: "Renewed" })).text, "Renewed");
      const [renewed, ...others] = await listSessions(person);
      assert.equal(others.length, 0);
      assert.notEqual(renewed?.tokenId, session?.tokenId);
    },
    disconnect: async (accountId, person) => {
      const { status } = await akimbo.call("DELETE", `/accounts/${accountId}`);
      assert.equal(status, 200);
      const deadline = Date.now() + DEFERRED_WORK_MS;
      while ((await listSessions(person)).length > 0) {
        assert.ok(Date.now() < deadline, "The session is still there.");
        await sleep(100);
      }
    },
  };
}
