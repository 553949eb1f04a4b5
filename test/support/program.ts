import { createMember, type Harness, harnessWith, refuseLeak } from "./harness.ts";
import { Browser, type Page } from "./person.ts";

const ORIGIN = "https://akimbo.test";
export const REDIRECT = "https://program.example/callback";
export const MCP = `${ORIGIN}/mcp`;
export const API = `${ORIGIN}/api/v1`;

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Body = any;

interface Answer {
  status: number;
  headers: Headers;
  body: Body;
}

const VERIFIER = "v".repeat(50);

async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** A program that people allow, as it sees the server: written by hand from the RFCs. */
export class Program {
  clientId = "";
  secret: string | null = null;
  redirectUri = REDIRECT;
  private readonly harness: Pick<Harness, "request">;

  constructor(harness: Pick<Harness, "request">) {
    this.harness = harness;
  }

  async get(path: string): Promise<Answer> {
    return this.read(path, await this.harness.request(path));
  }

  async post(path: string, fields: Record<string, string>, headers = {}): Promise<Answer> {
    const body = new URLSearchParams(fields);
    return this.read(path, await this.harness.request(path, { method: "POST", body, headers }));
  }

  async register(metadata: object = {}, headers: Record<string, string> = {}): Promise<this> {
    const response = await this.harness.request("/register", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({
        redirect_uris: [REDIRECT],
        client_name: "A program",
        token_endpoint_auth_method: "none",
        ...metadata,
      }),
    });
    const { status, body } = await this.read("/register", response);
    if (status !== 201) throw new Error(JSON.stringify([body, (this.harness as Harness).logs]));
    this.clientId = body.client_id;
    this.secret = body.client_secret ?? null;
    return this;
  }

  async authorizePath(more: Record<string, string | null> = {}): Promise<string> {
    const parameters = {
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      response_type: "code",
      code_challenge: await challengeOf(VERIFIER),
      code_challenge_method: "S256",
      state: "a state",
      resource: MCP,
      ...more,
    };
    const query = Object.entries(parameters).filter(([, value]) => value !== null);
    return `/authorize?${new URLSearchParams(query as [string, string][])}`;
  }

  /** Sends the person to the page; the code that the answer carries. */
  async code(
    browser: Browser,
    more: Record<string, string | null> = {},
    choice: Record<string, string | string[]> = {},
  ): Promise<string> {
    const page = await browser.get(await this.authorizePath(more));
    const answer = await allow(browser, page, choice);
    const code = answerOf(answer).get("code");
    if (!code) throw new Error(answer.html);
    return code;
  }

  exchange(code: string, more: Record<string, string> = {}): Promise<Answer> {
    return this.post("/token", {
      grant_type: "authorization_code",
      client_id: this.clientId,
      code,
      code_verifier: VERIFIER,
      redirect_uri: this.redirectUri,
      resource: MCP,
      ...more,
    });
  }

  refresh(refreshToken: string, more: Record<string, string> = {}, headers = {}): Promise<Answer> {
    const fields = { grant_type: "refresh_token", client_id: this.clientId };
    return this.post("/token", { ...fields, refresh_token: refreshToken, ...more }, headers);
  }

  beginDevice(more: Record<string, string> = {}): Promise<Answer> {
    return this.post("/device_authorization", {
      client_id: "akimbo-cli",
      scope: "accounts:read posts:publish",
      ...more,
    });
  }

  poll(deviceCode: string, more: Record<string, string> = {}): Promise<Answer> {
    return this.post("/token", {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      client_id: "akimbo-cli",
      device_code: deviceCode,
      ...more,
    });
  }

  /** Access and refresh token of a new grant. */
  async tokens(browser: Browser, more = {}, choice = {}): Promise<Body> {
    const { status, body } = await this.exchange(await this.code(browser, more, choice));
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body;
  }

  private async read(path: string, response: Response): Promise<Answer> {
    const text = await response.text();
    refuseLeak(path, text);
    const { status, headers } = response;
    return { status, headers, body: text === "" ? null : JSON.parse(text) };
  }
}

/** A person who is signed in at an instance, and a program that has registered itself there. */
export async function programStage() {
  const harness = harnessWith({ publicUrl: ORIGIN });
  const member = await createMember();
  const browser = await new Browser(harness).signIn(member);
  const program = await new Program(harness).register();
  return { harness, member, browser, program };
}

/** Presses a button of the consent page, with what is ticked on it unless `choice` says otherwise. */
export function allow(
  browser: Browser,
  { html }: Page,
  choice: Record<string, string | string[]> = {},
): Promise<Page> {
  const action = [
    ...html.matchAll(/<form method="post" action="(\/(?:authorize|device\/answer)\?[^"]*)"/g),
  ]
    .map(([, address = ""]) => address.replaceAll("&amp;", "&"))
    .at(-1);
  if (action === undefined) throw new Error(html);
  const person = /name="person" value="(\d+)"/.exec(html)?.[1] ?? "";
  const scopes = [...html.matchAll(/<input[^>]*name="scopes"[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => tag.includes("checked"))
    .map((tag) => /value="([^"]*)"/.exec(tag)?.[1] ?? "");
  const fields = { person, scopes, which: "all", days: "", decision: "allow", ...choice };
  return browser.sendForm(action, fields);
}

/** The parameters that the page brings back to the program. */
export function answerOf({ headers, location }: Page): URLSearchParams {
  const to = /url=(.*)$/.exec(headers.get("refresh") ?? "")?.[1] ?? location ?? "";
  return new URL(to, ORIGIN).searchParams;
}
