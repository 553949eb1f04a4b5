import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type LocalFile, openRange } from "./local-file.ts";
import { Problem } from "./program.ts";
import {
  describeNetworkError,
  isTemporaryStatus,
  readRetryAfter,
  TemporaryProblem,
} from "./retry.ts";

export interface RangePut {
  url: string;
  headers?: Record<string, string>;
  file: Pick<LocalFile, "path" | "fd">;
  offset: number;
  size: number;
  signal: AbortSignal;
  /** Receives the number of bytes just sent. A failed try passes a negative number. */
  onBytes(bytes: number): void;
}

/** The presigned addresses have expired, and the file needs new ones. */
export class AddressesEnded extends Problem {}

const SILENCE_MS = 120_000;
const MAX_ANSWER_BYTES = 16_000;

/** Connections are reused, because each new TCP connection starts slowly. */
const http = { request: httpRequest, agent: new HttpAgent({ keepAlive: true }) };
const https = { request: httpsRequest, agent: new HttpsAgent({ keepAlive: true }) };

/**
 * Returns the ETag without quotes.
 *
 * @throws AddressesEnded; PassingProblem when another try may help; Problem for a refusal
 */
export async function putRange(put: RangePut): Promise<string> {
  let reported = 0;
  const onBytes = (bytes: number) => {
    reported += bytes;
    put.onBytes(bytes);
  };
  try {
    return await send({ ...put, onBytes });
  } catch (error) {
    put.onBytes(-reported);
    if (error instanceof Problem) throw error;
    put.signal.throwIfAborted();
    throw new TemporaryProblem(`Storage cannot be reached: ${describeNetworkError(error)}`);
  }
}

function send({ url, headers, file, offset, size, signal, onBytes }: RangePut): Promise<string> {
  const { request: open, agent } = url.startsWith("https:") ? https : http;
  return new Promise((resolve, reject) => {
    const request = open(url, {
      method: "PUT",
      agent,
      headers: { ...headers, "content-length": String(size) },
    });
    const body = openRange(file, offset, size);
    let isOver = false;
    const fail = (error: unknown) => {
      isOver = true;
      signal.removeEventListener("abort", stop);
      body.destroy();
      request.destroy();
      reject(error);
    };
    const stop = () => fail(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) return stop();

    let sent = 0;
    body.on("data", (chunk) => {
      if (isOver) return;
      sent += chunk.length;
      onBytes(chunk.length);
    });
    body.on("end", () => {
      if (sent < size) fail(new Problem("The file became shorter while it was sent."));
    });
    body.on("error", (error) => fail(new Problem(`${file.path} cannot be read: ${error.message}`)));
    request.on("error", fail);
    request.setTimeout(SILENCE_MS, () => fail(new Error("no answer for two minutes")));
    request.on("response", (response) => {
      readText(response).then((text) => {
        const { statusCode = 0, headers } = response;
        if (statusCode !== 200) return fail(toProblem(statusCode, headers["retry-after"], text));
        signal.removeEventListener("abort", stop);
        resolve((headers.etag ?? "").replaceAll('"', ""));
      }, fail);
    });
    body.pipe(request);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    if (text.length < MAX_ANSWER_BYTES) text += chunk;
  }
  return text;
}

const tagOf = (xml: string, tag: string): string =>
  new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1] ?? "";

function toProblem(status: number, retryAfter: string | undefined, text: string): Problem {
  const [code, message] = [tagOf(text, "Code"), tagOf(text, "Message")];
  const detail = [String(status), code, message].filter(Boolean).join(", ");
  if (isTemporaryStatus(status)) {
    return new TemporaryProblem(
      `Storage does not take the file at the moment: ${detail}`,
      readRetryAfter(retryAfter),
    );
  }
  if (status === 404 || /expired/i.test(code + message)) return new AddressesEnded(detail);
  return new RefusedPut(status, `Storage refuses the file: ${detail}`);
}

export class RefusedPut extends Problem {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
