import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { parseJson } from "../peers/http.ts";
import type { Person } from "./person.ts";
import { CLAUDE_CODE_REGISTERED, type Found, RECORDED, type Recorded } from "./recorded.ts";
import { createTally, type Tally } from "./suite.ts";

const AT_ONCE = 100;

// biome-ignore lint/suspicious/noExplicitAny: a check reads whatever the answer holds
type Body = any;

interface Answer {
  status: number;
  headers: Headers;
  body: Body;
}

async function call(url: string, init: RequestInit = {}): Promise<Answer> {
  const headers = new Headers(init.headers);
  headers.set("connection", "close");
  const response = await fetch(url, { redirect: "manual", ...init, headers });
  const { status } = response;
  return { status, headers: response.headers, body: parseJson(await response.text()) };
}

const agent = (name: string | undefined): Record<string, string> =>
  name === undefined ? {} : { "user-agent": name };

/** A recorded client, with what it has found and as whom it is registered. */
class Client {
  private readonly recorded: Recorded;
  private readonly url: string;
  private server: Body;
  private found: Found = { challenge: "", resource: "", server: "" };
  private registered: Body;
  private readonly verifier = randomBytes(32).toString("base64url");
  private readonly state = randomBytes(16).toString("base64url");

  constructor(recorded: Recorded, origin: string) {
    this.recorded = recorded;
    this.url = `${origin}/mcp`;
  }

  /** From the refusal to the metadata of the authorization server. */
  async discover(): Promise<void> {
    const refused = await this.message(null, "initialize", this.hello());
    assert.equal(refused.status, 401);
    const challenge = refused.headers.get("www-authenticate") ?? "";
    const told = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(challenge)?.[1] ?? "";
    const resource = await this.oauth(told("resource_metadata"));
    assert.equal(resource.body.resource, this.url, "the resource is the address that was typed");
    const [issuer] = resource.body.authorization_servers;
    const server = await this.oauth(`${issuer}/.well-known/oauth-authorization-server`);
    assert.equal(server.body.issuer, issuer);
    assert.deepEqual(server.body.code_challenge_methods_supported, ["S256"]);
    this.server = server.body;
    this.found = {
      challenge: told("scope"),
      resource: resource.body.scopes_supported.join(" "),
      server: server.body.scopes_supported.join(" "),
    };
  }

  async register(): Promise<void> {
    for (let made = 0; made < (this.recorded.registrations ?? 1); made++) {
      const { status, body } = await this.oauth(this.server.registration_endpoint, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(this.recorded.registration(this.url)),
      });
      assert.equal(status, 201, JSON.stringify(body));
      assert.ok(!Object.values(body).includes(null), "a null breaks the readers of some clients");
      assert.equal(body.token_endpoint_auth_method, this.recorded.authentication);
      this.registered = body;
    }
  }

  /** @param resource null: the request has none */
  request(resource: string | null = this.url): URL {
    const { redirectUri, scope, more } = this.recorded;
    const url = new URL(this.server.authorization_endpoint);
    const asked = scope(this.found);
    const parameters = {
      response_type: "code",
      client_id: this.registered.client_id,
      redirect_uri: redirectUri(this.url),
      state: this.state,
      code_challenge: createHash("sha256").update(this.verifier).digest("base64url"),
      code_challenge_method: "S256",
      ...(asked === null ? {} : { scope: asked }),
      ...(resource === null ? {} : { resource }),
      ...more,
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.append(name, value);
    return url;
  }

  /** A look without a session, which must not read as a lost registration. */
  async lookAhead(): Promise<void> {
    const { status } = await this.oauth(this.request().href);
    assert.ok(status !== 400 && status !== 401, `the look ahead answers with ${status}`);
  }

  /** What the browser brings to the callback. */
  readAnswer(callback: URL): string {
    const [expected] = this.recorded.redirectUri(this.url).split("?");
    assert.equal(callback.href.split("?")[0], expected);
    const sent = callback.searchParams;
    assert.equal(sent.get("error"), null, sent.get("error_description") ?? "");
    assert.deepEqual([sent.get("state"), sent.get("iss")], [this.state, this.server.issuer]);
    return sent.get("code") ?? "";
  }

  exchange(code: string): Promise<Body> {
    return this.token({
      grant_type: "authorization_code",
      code,
      code_verifier: this.verifier,
      redirect_uri: this.recorded.redirectUri(this.url),
    });
  }

  refresh(refreshToken: string): Promise<Body> {
    return this.token({ grant_type: "refresh_token", refresh_token: refreshToken });
  }

  private async token(fields: Record<string, string>): Promise<Body> {
    const { client_id: id, client_secret: secret } = this.registered;
    const form = new URLSearchParams({ ...fields, resource: this.url });
    const headers: Record<string, string> = {};
    const { authentication } = this.recorded;
    if (authentication === "client_secret_basic") {
      headers.authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
    } else form.set("client_id", id);
    if (authentication === "client_secret_post") form.set("client_secret", secret);
    const { status, body } = await this.oauth(this.server.token_endpoint, {
      method: "POST",
      headers,
      body: form,
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.token_type, "Bearer");
    return body;
  }

  /** The handshake, and the first thing that a client wants to know. */
  async use(token: string): Promise<void> {
    const hello = await this.message(token, "initialize", this.hello());
    assert.equal(hello.status, 200);
    assert.equal(hello.body.result.protocolVersion, this.recorded.revision);
    const { status, body } = await this.message(token, "tools/list", {});
    assert.equal(status, 200);
    assert.ok(body.result.tools.some(({ name }: Body) => name === "create_post"));
    const params = { name: "list_accounts", arguments: {} };
    const called = await this.message(token, "tools/call", params);
    assert.ok(called.body.result.structuredContent.accounts.length > 0);
  }

  private hello(): object {
    return {
      protocolVersion: this.recorded.revision,
      capabilities: {},
      clientInfo: { name: this.recorded.name, version: "1.0.0" },
    };
  }

  private message(token: string | null, method: string, params: object): Promise<Answer> {
    return call(this.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...agent(this.recorded.userAgent?.mcp),
        ...(method === "initialize" ? {} : { "mcp-protocol-version": this.recorded.revision }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
  }

  private oauth(url: string, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers);
    const { userAgent } = this.recorded;
    if (userAgent) headers.set("user-agent", userAgent.oauth);
    return call(url, { ...init, headers });
  }
}

async function replay(recorded: Recorded, origin: string, person: Person): Promise<void> {
  const client = new Client(recorded, origin);
  await client.discover();
  await client.register();
  if (recorded.looksAhead) await client.lookAhead();
  const code = client.readAnswer(await person.allow(client.request()));
  const first = await client.exchange(code);
  await client.use(first.access_token);
  const second = await client.refresh(first.refresh_token);
  await client.use(second.access_token);
}

/** A request that names no resource is told so, at the program's own address. */
async function replayWithoutResource(
  recorded: Recorded,
  origin: string,
  person: Person,
): Promise<void> {
  const client = new Client(recorded, origin);
  await client.discover();
  await client.register();
  const { searchParams } = await person.allow(client.request(null));
  assert.equal(searchParams.get("error"), "invalid_target");
  assert.match(searchParams.get("error_description") ?? "", /\/mcp/);
}

/** Several processes share a client's tokens, and all renew at once. */
async function renewAtOnce(recorded: Recorded, origin: string, person: Person): Promise<void> {
  const client = new Client(recorded, origin);
  await client.discover();
  await client.register();
  const code = client.readAnswer(await person.allow(client.request()));
  const first = await client.exchange(code);
  const all = await Promise.all(
    Array.from({ length: AT_ONCE }, () => client.refresh(first.refresh_token)),
  );
  const pairs = new Set(all.map(({ access_token: a, refresh_token: r }) => `${a} ${r}`));
  assert.equal(pairs.size, 1);
  await client.use(all[0].access_token);
  const next = await client.refresh(all[0].refresh_token);
  await client.use(next.access_token);
}

/** Replays what each client sends, from its first refusal to the renewal of its token. */
export async function replayClients(origin: string, person: Person): Promise<Tally> {
  console.log("\nClients as they were recorded\n");
  const { tally, check } = createTally();
  for (const recorded of RECORDED) {
    await check(recorded.name, () => replay(recorded, origin, person));
  }
  await check(
    "Claude Code without a resource, as its 2.1.251 was reported to ask, is refused",
    () => replayWithoutResource(CLAUDE_CODE_REGISTERED, origin, person),
  );
  await check(`${AT_ONCE} renewals at once of one token make one pair`, () =>
    renewAtOnce(CLAUDE_CODE_REGISTERED, origin, person),
  );
  return tally;
}
