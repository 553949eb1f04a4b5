import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { optionsFor } from "./inspect.ts";
import type { Person } from "./person.ts";
import { createTally, type Tally } from "./suite.ts";

/** Nothing listens there: the person's browser tells where it was led. */
const CALLBACK = "http://127.0.0.1:53682/callback";
const POLL_MS = 250;
const PUBLISH_TIMEOUT_MS = 60_000;

interface Transport {
  finishAuth(answer: URLSearchParams): Promise<void>;
}

interface Client {
  connect(transport: Transport): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  // biome-ignore lint/suspicious/noExplicitAny: a check reads whatever the tool tells
  callTool(call: { name: string; arguments: object }): Promise<any>;
  close(): Promise<void>;
}

interface Library {
  Client: new (info: object, options: object) => Client;
  StreamableHTTPClientTransport: new (url: URL, options: { authProvider: Keeper }) => Transport;
  UnauthorizedError: new () => Error;
}

/** What the official client leaves to the program around it: to keep things, and to open a browser. */
class Keeper {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    client_name: "The official client",
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  /** Where the person is to go. */
  request: URL | null = null;
  registrations = 0;
  private client: object | undefined;
  private kept: { scope?: string } | undefined;
  private verifier = "";
  private found: object | undefined;

  clientInformation = () => this.client;
  saveClientInformation = (client: object) => {
    this.registrations++;
    this.client = client;
  };
  tokens = () => this.kept;
  saveTokens = (tokens: { scope?: string }) => {
    this.kept = tokens;
  };
  redirectToAuthorization = (request: URL) => {
    this.request = request;
  };
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier;
  };
  codeVerifier = () => this.verifier;
  saveDiscoveryState = (found: object) => {
    this.found = found;
  };
  discoveryState = () => this.found;
}

/**
 * Signs the protocol's official client in by its own means, has it publish what is held, and lets it step up and
 * publish what everybody sees.
 */
export async function signOfficialClientIn(
  revision: string,
  origin: string,
  person: Person,
): Promise<Tally> {
  const { Client, StreamableHTTPClientTransport, UnauthorizedError } = (await import(
    "@modelcontextprotocol/client" as string
  )) as Library;
  const options = optionsFor(revision);
  const keeper = new Keeper();
  const connect = () => {
    const client = new Client({ name: "akimbo-official", version: "1.0.0" }, options);
    const authProvider = keeper;
    const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { authProvider });
    return { client, transport, connected: () => client.connect(transport) };
  };
  /** The person allows what the client asks for; the client reads the answer. */
  const answer = async (transport: Transport, more: readonly string[] = []) => {
    assert.ok(keeper.request, "the client has not asked for a person");
    const callback = await person.allow(keeper.request, more);
    keeper.request = null;
    await transport.finishAuth(callback.searchParams);
  };
  const { tally, check } = createTally();
  let { client, transport, connected } = connect();
  const call = async (name: string, args: object) => {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, `${name}: ${result.content[0]?.text}`);
    return result.structuredContent;
  };
  const post = async (words: string) => {
    const { accounts } = await call("list_accounts", { platform: "bluesky" });
    const text = `${words} ${revision} ${Math.random()}`;
    const { posts } = await call("create_post", { accountIds: [accounts[0].id], text });
    return posts[0].postId as number;
  };
  const stateOf = async (postId: number) => (await call("get_post_status", { postId })).state;

  await check("the official client is refused, registers, and is allowed by a person", async () => {
    await assert.rejects(connected(), UnauthorizedError);
    await answer(transport);
    ({ client, transport, connected } = connect());
    await connected();
    assert.ok((await client.listTools()).tools.length > 0);
    assert.equal(keeper.registrations, 1);
  });
  let held = 0;
  await check("its post waits for a person", async () => {
    held = await post("Held words");
    assert.equal(await stateOf(held), "awaiting_approval");
  });
  const share = () => call("create_review_link", { postIds: [held] });
  await check("it asks for publishing when a tool needs it, and is allowed that", async () => {
    await assert.rejects(share(), UnauthorizedError);
    const asked = new Set(keeper.request?.searchParams.get("scope")?.split(" "));
    for (const scope of ["posts:publish", "posts:write", "accounts:read"]) {
      assert.ok(asked.has(scope), `${scope} is not asked for`);
    }
    await answer(transport, ["posts:publish"]);
    assert.match((await share()).url, /\/review\//);
    assert.equal(keeper.registrations, 1);
  });
  await check("its next post is published", async () => {
    const postId = await post("Words for everybody");
    const deadline = Date.now() + PUBLISH_TIMEOUT_MS;
    let state = await stateOf(postId);
    while (state !== "published" && state !== "failed" && Date.now() < deadline) {
      await sleep(POLL_MS);
      state = await stateOf(postId);
    }
    assert.equal(state, "published");
  });
  await client.close();
  return tally;
}
