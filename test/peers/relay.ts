import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listen, parseJson, readBody } from "./http.ts";

/** A call that the server has answered. */
interface Call {
  /** The path where it is no XRPC. */
  nsid: string;
  method: string;
  /** As the caller sent it. */
  token: string | null;
  /** Whether the caller proved that it holds the token's key. */
  isProven: boolean;
  status: number;
  /** Whether the server gave a nonce for the next proof. */
  hasNonce: boolean;
  reply: unknown;
}

export interface Session {
  did: string;
  accessJwt: string;
  refreshJwt: string;
}

/** The part that gets lost: the request before the PDS has it, or the reply after it acted. */
export type Loss = "request" | "reply";

/**
 * Stands between Akimbo and a server, and passes everything on unless told otherwise. A PDS has its host too, because
 * a server's DID is made of that.
 */
export interface Relay {
  origin: string;
  calls: Call[];
  callsOf(nsid: string): Call[];
  /** The tokens that Akimbo was given last. */
  session(): Session;
  /** Breaks the connection of the next such call; resolves when that has happened. */
  loseNext(nsid: string, loss: Loss): Promise<void>;
  /** From now on loses the reply to every nth POST of that name, or to none; the answer counts the lost ones. */
  loseEvery(nsid: string, nth: number | null): () => number;
  /** Keeps the reply to the next such call back for so long. */
  delayNext(nsid: string, delayMs: number): void;
  /** From now on the PDS gets `replacement` where Akimbo sends `token`. */
  replaceToken(token: string, replacement: string): void;
}

/** Headers of answers that Akimbo heeds. */
const PASSED_ON = ["content-type", "dpop-nonce", "www-authenticate"];

interface PlannedLoss {
  loss: Loss;
  happened(): void;
}

export async function startRelay(target: string): Promise<Relay> {
  const calls: Call[] = [];
  const losses = new Map<string, PlannedLoss>();
  const regularLosses = new Map<string, { nth: number; calls: number; lost: number }>();
  const delays = new Map<string, number>();
  const replacements = new Map<string, string>();

  function losesRegularly(nsid: string): boolean {
    const regular = regularLosses.get(nsid);
    if (!regular || ++regular.calls % regular.nth > 0) return false;
    regular.lost++;
    return true;
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", target);
    const nsid = url.pathname.replace("/xrpc/", "");
    const [scheme, token = null] = request.headers.authorization?.split(" ") ?? [];
    const body = await readBody(request);
    const planned = losses.get(nsid);
    losses.delete(nsid);
    if (planned?.loss !== "request") {
      const headers = new Headers({ accept: "application/json" });
      if (token) headers.set("authorization", `${scheme} ${replacements.get(token) ?? token}`);
      for (const name of ["content-type", "dpop", "idempotency-key"]) {
        const value = request.headers[name];
        if (value) headers.set(name, String(value));
      }
      const init = { method: request.method, headers, body: body.length > 0 ? body : undefined };
      const answer = await fetch(url, init);
      const text = await answer.text();
      calls.push({
        nsid,
        method: request.method ?? "GET",
        token,
        isProven: headers.has("dpop"),
        status: answer.status,
        hasNonce: answer.headers.has("dpop-nonce"),
        reply: parseJson(text),
      });
      await sleep(delays.get(nsid) ?? 0);
      delays.delete(nsid);
      if (!planned && !(request.method === "POST" && losesRegularly(nsid))) {
        const answered = PASSED_ON.flatMap((name) => {
          const value = answer.headers.get(name);
          return value === null ? [] : [[name, value]];
        });
        response.writeHead(answer.status, Object.fromEntries(answered)).end(text);
        return;
      }
    }
    response.destroy();
    planned?.happened();
  }

  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  const callsOf = (nsid: string) => calls.filter((call) => call.nsid === nsid);
  return {
    origin: await listen(server),
    calls,
    callsOf,
    session: () => {
      const granted = calls.findLast(
        ({ nsid, status }) => status === 200 && /\.(create|refresh)Session$/.test(nsid),
      );
      if (!granted) throw new Error("Akimbo has no session at the server.");
      return granted.reply as Session;
    },
    loseNext: (nsid, loss) =>
      new Promise((resolve) => {
        losses.set(nsid, { loss, happened: resolve });
      }),
    loseEvery: (nsid, nth) => {
      if (nth === null) regularLosses.delete(nsid);
      else regularLosses.set(nsid, { nth, calls: 0, lost: 0 });
      const regular = regularLosses.get(nsid);
      return () => regular?.lost ?? 0;
    },
    delayNext: (nsid, delayMs) => {
      delays.set(nsid, delayMs);
    },
    replaceToken: (token, replacement) => {
      replacements.set(token, replacement);
    },
  };
}
