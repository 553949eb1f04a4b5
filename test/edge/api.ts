import { createServer, type IncomingMessage, type Server } from "node:http";
import { ACCOUNT_ID, type Account } from "./account.ts";
import { KEEP_ALIVE_MS } from "./front.ts";
import { type Part, readParts } from "./multipart.ts";
import { Refusal } from "./refusal.ts";
import type { Runner } from "./runner.ts";

/** What the routes of the account API work on. */
export interface Cloud {
  account: Account;
  runner: Runner;
  /** The origin of the API, for addresses that it signs. */
  origin: string;
}

export interface Call {
  method: string;
  /** Without the prefix of the account. */
  path: string;
  query: URLSearchParams;
  /** The parts of the path that the route's pattern leaves open. */
  params: string[];
  body: Buffer;
  /** @throws Refusal 10026 */
  json<T>(): T;
  parts(): Promise<Part[]>;
}

export interface Reply {
  status?: number;
  result?: unknown;
  info?: object;
  /** An answer outside the envelope. */
  raw?: { headers?: Record<string, string>; body?: string | Buffer };
}

/** A method and a pattern of paths, in which `:` stands for one open part and `*` for the rest. */
export type Route = [pattern: string, handle: (cloud: Cloud, call: Call) => Promise<Reply> | Reply];

/** A call as tests read it. */
export interface SeenCall {
  method: string;
  path: string;
  code: number | null;
}

/** Calls that work in a database or a bucket, and questions of tests: they leave the account as it is. */
const KEEPS_STATE =
  /^\/(?:edge|signed|graphql)\b|\/(?:query|raw|export|import)$|^\/r2\/buckets\/[^/]+\/objects\//;

export class Api {
  readonly calls: SeenCall[] = [];
  /** Calls that the token has no right to, such as `PUT /r2/buckets/akimbo-media/cors`, or their beginnings. */
  readonly forbidden = new Set<string>();
  /** How often calls that begin so are still answered by a page of an error, as for a moment of Cloudflare's own. */
  readonly failing = new Map<string, number>();
  private readonly routes: { pattern: RegExp; handle: Route[1] }[];
  private readonly cloud: Cloud;
  private lastChange: Promise<unknown> = Promise.resolve();

  constructor(cloud: Cloud, routes: Route[]) {
    this.cloud = cloud;
    this.routes = routes.map(([pattern, handle]) => ({
      pattern: new RegExp(`^${pattern.replace("/*", "/(.+)").replaceAll("/:", "/([^/]+)")}$`),
      handle,
    }));
  }

  async answer(method: string, url: URL, contentType: string, body: Buffer): Promise<Reply> {
    const path = url.pathname.replace(`/accounts/${ACCOUNT_ID}/`, "/");
    for (const [one, times] of this.failing) {
      if (times === 0 || !`${method} ${path}`.startsWith(one)) continue;
      this.failing.set(one, times - 1);
      return { status: 502, raw: { body: "<html><title>502 Bad Gateway</title></html>" } };
    }
    const isForbidden = [...this.forbidden].some((one) => `${method} ${path}`.startsWith(one));
    if (isForbidden) {
      throw new Refusal(10_000, "Authentication error", 403);
    }
    for (const { pattern, handle } of this.routes) {
      const match = pattern.exec(`${method} ${path}`);
      if (!match) continue;
      const call: Call = {
        method,
        path,
        query: url.searchParams,
        params: match.slice(1).map(decodeURIComponent),
        body,
        json: <T>() => readJson<T>(body),
        parts: () => readParts(contentType, body),
      };
      if (method === "GET" || KEEPS_STATE.test(path)) return await handle(this.cloud, call);
      return await this.inTurn(() => handle(this.cloud, call));
    }
    throw new Refusal(
      7_003,
      `Could not route to ${method} ${path}, perhaps your object identifier is invalid?`,
      404,
      "storage",
    );
  }

  /** Changes follow one another; a refused one leaves no trace. */
  private inTurn(change: () => Promise<Reply> | Reply): Promise<Reply> {
    const { account } = this.cloud;
    const turn = this.lastChange.then(async () => {
      try {
        const reply = await change();
        account.save();
        return reply;
      } catch (error) {
        account.undo();
        throw error;
      }
    });
    this.lastChange = turn.catch(() => {});
    return turn;
  }

  listen(port: number): Promise<Server> {
    const server = createServer(async (request, response) => {
      const method = request.method ?? "GET";
      const url = new URL(request.url ?? "/", this.cloud.origin || "http://api");
      const seen: SeenCall = {
        method,
        path: url.pathname.replace(`/accounts/${ACCOUNT_ID}/`, "/") + url.search,
        code: null,
      };
      if (!seen.path.startsWith("/edge/")) this.calls.push(seen);
      let reply: Reply;
      let refusal: Refusal | null = null;
      try {
        const body = await readBody(request);
        reply = await this.answer(method, url, request.headers["content-type"] ?? "", body);
      } catch (error) {
        if (!(error instanceof Refusal)) console.error(error);
        refusal =
          error instanceof Refusal ? error : new Refusal(10_002, `Internal error: ${error}`, 500);
        reply = { status: refusal.status };
        seen.code = refusal.code;
      }
      response.statusCode = reply.status ?? 200;
      if (reply.raw) {
        for (const [name, value] of Object.entries(reply.raw.headers ?? {})) {
          response.setHeader(name, value);
        }
        response.end(reply.raw.body);
        return;
      }
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          success: refusal === null,
          errors: refusal ? [refusal.toJson()] : [],
          messages: [],
          result: reply.result ?? null,
          ...(reply.info ? { result_info: reply.info } : {}),
        }),
      );
    });
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(server)));
  }
}

function readJson<T>(body: Buffer): T {
  try {
    return JSON.parse(body.toString("utf8")) as T;
  } catch {
    throw new Refusal(10_026, "Could not parse request body.");
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The page of a list, and what wrangler reads to ask for the next. */
export function pageOf<T>(all: T[], query: URLSearchParams, defaultSize: number): Reply {
  const page = Number(query.get("page") ?? 1);
  const size = Number(query.get("per_page") ?? defaultSize);
  const result = all.slice((page - 1) * size, page * size);
  return {
    result,
    info: {
      page,
      per_page: size,
      count: result.length,
      total_count: all.length,
      total_pages: Math.max(1, Math.ceil(all.length / size)),
    },
  };
}
