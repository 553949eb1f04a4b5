import type { Fetch } from "../../src/platforms/connector.ts";
import type { Harness, Member } from "./harness.ts";

const SERVICE = "https://pds.example.com";
const LOGIN = { identifier: "alice.example.com", appPassword: "abcd-efgh-ijkl-mnop" };
const SESSION_SECONDS = 7_200;

const json = (body: unknown, status = 200) => Response.json(body, { status });

/** Stands before the server: answers a call itself, breaks the line, or lets the call through. */
type Interception = (call: {
  method: string;
  answer(): Promise<Response>;
}) => Promise<Response> | undefined;

/** A PDS that counts what reaches it, for the faults that a real one does not show on demand. */
export class FakePds {
  readonly calls: string[] = [];
  readonly records = new Map<string, unknown>();
  intercept: Interception = () => undefined;
  private session = 0;

  count = (method: string): number => this.calls.filter((call) => call === method).length;

  readonly fetch: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const method = new URL(request.url).pathname.replace("/xrpc/com.atproto.", "");
    this.calls.push(method);
    const answer = () => this.answer(method, request);
    return (await this.intercept({ method, answer })) ?? answer();
  };

  private async answer(method: string, request: Request): Promise<Response> {
    const bearer = request.headers.get("authorization")?.replace("Bearer ", "");
    switch (method) {
      case "server.createSession":
        return json(this.newSession());
      case "server.refreshSession":
        if (bearer !== `refresh-${this.session}`) return json({ error: "ExpiredToken" }, 400);
        return json(this.newSession());
      case "server.deleteSession":
        return new Response(null, { status: 200 });
      case "repo.uploadBlob": {
        const { byteLength } = await request.arrayBuffer();
        const mimeType = request.headers.get("content-type");
        return json({
          blob: { $type: "blob", ref: { $link: "bafk" }, mimeType, size: byteLength },
        });
      }
      case "repo.putRecord": {
        if (bearer !== this.accessToken()) return json({ error: "ExpiredToken" }, 400);
        const { rkey, record } = (await request.json()) as { rkey: string; record: unknown };
        this.records.set(rkey, record);
        return json({ uri: `at://did:plc:alice/app.bsky.feed.post/${rkey}`, cid: "bafy" });
      }
      case "repo.getRecord": {
        const rkey = new URL(request.url).searchParams.get("rkey") ?? "";
        const value = this.records.get(rkey);
        if (!value) return json({ error: "RecordNotFound" }, 400);
        return json({ uri: `at://did:plc:alice/app.bsky.feed.post/${rkey}`, cid: "bafy", value });
      }
      default:
        return json({ error: "MethodNotImplemented" }, 501);
    }
  }

  /** From now on the access token that was given out last is refused. */
  expireSession(): void {
    this.isExpired = true;
  }

  private isExpired = false;

  private accessToken(): string {
    return this.isExpired ? "none" : this.currentToken;
  }

  private currentToken = "";

  private newSession() {
    this.session++;
    this.isExpired = false;
    const exp = Math.floor(Date.now() / 1_000) + SESSION_SECONDS;
    const payload = btoa(JSON.stringify({ exp, sub: "did:plc:alice", n: this.session }));
    this.currentToken = `head.${payload.replaceAll("=", "")}.sig`;
    return {
      did: "did:plc:alice",
      handle: LOGIN.identifier,
      accessJwt: this.currentToken,
      refreshJwt: `refresh-${this.session}`,
      active: true,
    };
  }
}

/** Connects a live account at a PDS of our own making; its id. */
export async function connectFakePds(harness: Harness, member: Member, pds: FakePds) {
  harness.network = pds.fetch;
  const answer = await harness.call("POST", "/accounts", {
    token: member.token,
    json: { platform: "bluesky", ...LOGIN, service: SERVICE },
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.id as string;
}
