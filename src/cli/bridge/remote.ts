import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { MINUTE } from "../../core/time.ts";
import { parseJson } from "../json.ts";
import { type Credential, sendWith, type TokenHeader } from "../login/credential.ts";
import { Problem } from "../program.ts";
import {
  describeNetworkError,
  isTemporaryStatus,
  readRetryAfter,
  TemporaryProblem,
} from "../retry.ts";

/** This revision of the Model Context Protocol works without a session. */
const REVISION = "2025-11-25";
const TIMEOUT_MS = 2 * MINUTE;

const answer = z.union([
  z.object({ result: z.record(z.string(), z.unknown()) }),
  z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
]);
const refusal = z.object({ error: z.string() });

export class RemoteError extends Problem {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export class Remote {
  private readonly address: string;
  private readonly credential: Credential;

  constructor(origin: string, credential: Credential) {
    this.address = `${origin}/mcp`;
    this.credential = credential;
  }

  async listTools(timeoutMs = TIMEOUT_MS): Promise<Tool[]> {
    return (await this.send("tools/list", {}, undefined, timeoutMs)).tools as Tool[];
  }

  /**
   * Returns a refusal by the tool itself as a result.
   *
   * @throws Problem for a refused or unanswered call; RemoteError for a protocol error
   */
  async callTool(
    name: string,
    args: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<CallToolResult> {
    return (await this.send("tools/call", { name, arguments: args }, signal)) as CallToolResult;
  }

  private async send(method: string, params: object, signal?: AbortSignal, timeoutMs = TIMEOUT_MS) {
    const message = { jsonrpc: "2.0", id: 1, method, params };
    const { response, text } = await sendWith(this.credential, (header) =>
      this.post(message, header, timeoutMs, signal),
    );
    const body = parseJson(text);
    const { data } = answer.safeParse(body);
    if (data && "result" in data) return data.result;
    if (data) throw new RemoteError(data.error.code, data.error.message);
    const { status, headers } = response;
    const reason =
      refusal.safeParse(body).data?.error ?? `unexpected answer: ${text.slice(0, 200)}`;
    const refused = `${this.address} answers ${status}. ${reason}`;
    if (!isTemporaryStatus(status)) throw new Problem(refused);
    throw new TemporaryProblem(refused, readRetryAfter(headers.get("retry-after")));
  }

  private async post(
    message: object,
    header: TokenHeader,
    timeoutMs: number,
    signal?: AbortSignal,
  ) {
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(this.address, {
        method: "POST",
        headers: {
          ...header,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": REVISION,
        },
        body: JSON.stringify(message),
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      return { response, text: await response.text() };
    } catch (error) {
      signal?.throwIfAborted();
      throw new TemporaryProblem(
        `${this.address} cannot be reached: ${describeNetworkError(error)}`,
      );
    }
  }
}
