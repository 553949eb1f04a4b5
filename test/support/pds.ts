import type { Harness, Member } from "./harness.ts";
import { type Call, readCall, scripted } from "./network.ts";

const SERVICE = "https://pds.example.com";
const DID = "did:plc:alice";
const LOGIN = { identifier: "alice.example.com", appPassword: "abcd-efgh-ijkl-mnop" };
const SESSION_SECONDS = 7_200;

const json = (body: unknown, status = 200) => Response.json(body, { status });

/** Stands before the server: answers a call itself, breaks the line, or lets the call through. */
type Interception = (call: {
  method: string;
  answer(): Promise<Response>;
}) => Promise<Response> | undefined;

const methodOf = ({ path }: Call): string => path.replace("/xrpc/com.atproto.", "");

/** A PDS that counts what reaches it, for the faults that a real one does not show on demand. */
export class FakePds {
  readonly records = new Map<string, unknown>();
  intercept: Interception = () => undefined;
  private readonly network = scripted(readCall, (call) => () => {
    const answer = async () => this.answer(call);
    return this.intercept({ method: methodOf(call), answer }) ?? answer();
  });
  readonly fetch = this.network.fetch;
  private sessions = 0;
  private accessToken = "";

  /** Methods that were called, in their order. */
  get calls(): string[] {
    return this.network.calls.map(methodOf);
  }

  count = (method: string): number => this.calls.filter((call) => call === method).length;

  private answer(call: Call): Response {
    const bearer = call.headers.authorization?.replace("Bearer ", "") ?? "";
    switch (methodOf(call)) {
      case "server.createSession":
        return json(this.newSession());
      case "server.getSession":
        this.accessToken = bearer;
        return json({ did: DID, handle: LOGIN.identifier, active: true });
      case "server.refreshSession":
        if (bearer !== `refresh-${this.sessions}`) return json({ error: "ExpiredToken" }, 400);
        return json(this.newSession());
      case "server.deleteSession":
        return new Response(null, { status: 200 });
      case "repo.uploadBlob": {
        const mimeType = call.headers["content-type"];
        return json({
          blob: { $type: "blob", ref: { $link: "bafk" }, mimeType, size: call.bytes },
        });
      }
      case "repo.putRecord": {
        if (bearer !== this.accessToken) return json({ error: "ExpiredToken" }, 400);
        const { rkey, record } = call.json;
        this.records.set(rkey, record);
        return json({ uri: `at://${DID}/app.bsky.feed.post/${rkey}`, cid: "bafy" });
      }
      case "repo.getRecord": {
        const { rkey = "" } = call.query;
        const value = this.records.get(rkey);
        if (!value) return json({ error: "RecordNotFound" }, 400);
        return json({ uri: `at://${DID}/app.bsky.feed.post/${rkey}`, cid: "bafy", value });
      }
      default:
        return json({ error: "MethodNotImplemented" }, 501);
    }
  }

  /** From now on the access token that was given out last is refused. */
  expireSession(): void {
    this.accessToken = "none";
  }

  private newSession() {
    this.sessions++;
    const exp = Math.floor(Date.now() / 1_000) + SESSION_SECONDS;
    const payload = btoa(JSON.stringify({ exp, sub: DID, n: this.sessions }));
    this.accessToken = `head.${payload.replaceAll("=", "")}.sig`;
    return {
      did: DID,
      handle: LOGIN.identifier,
      accessJwt: this.accessToken,
      refreshJwt: `refresh-${this.sessions}`,
      active: true,
    };
  }
}

/** Connects a live account at a PDS of our own making, by handle and app password or by `login`; its id. */
export async function connectFakePds(
  harness: Harness,
  member: Member,
  pds = new FakePds(),
  login: object = LOGIN,
): Promise<string> {
  harness.network = pds.fetch;
  const answer = await harness.call("POST", "/accounts", {
    token: member.token,
    json: { platform: "bluesky", service: SERVICE, ...login },
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.id;
}

/** Connects an account whose login lasts, at such a server; its id. */
export const connectLive = (harness: Harness, member: Member): Promise<string> =>
  connectFakePds(harness, member, undefined, { credentials: { accessToken: "fresh" } });
