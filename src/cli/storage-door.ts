import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { finished, pipeline } from "node:stream/promises";
import { AwsV4Signer } from "aws4fetch";
import { SECOND } from "../core/time.ts";
import { toDatetime } from "../features/presign/rules.ts";
import { LOCAL_STORAGE } from "./local-storage.ts";

/** Distance from the server's port. A restart keeps the port, so signed addresses remain valid. */
const PORTS_APART = 1_000;
/** Storage may close a connection after an answer, so connections are not reused. */
const agent = new Agent({ keepAlive: false });

/**
 * When storage refuses an unread body, `wrangler dev` loses later calls. So this proxy reads such a
 * body to its end and asks storage without it.
 */
export async function openStorageDoor(port: number): Promise<number> {
  const door = createServer(async (incoming, answer) => {
    try {
      const response = await ask(port, incoming);
      const { connection: _, ...headers } = response.headers;
      answer.writeHead(response.statusCode ?? 502, headers);
      await pipeline(response, answer);
    } catch (error) {
      if (answer.headersSent) return answer.destroy();
      const message = error instanceof Error ? error.message : String(error);
      answer.writeHead(502, { "content-type": "text/plain" });
      answer.end(`Storage does not answer: ${message}. Try again when the server runs.\n`);
    }
  });
  // A large file may take longer than the five minutes that Node allows a request.
  door.requestTimeout = 0;
  try {
    await listen(door, port + PORTS_APART);
  } catch {
    await listen(door, 0);
  }
  return (door.address() as AddressInfo).port;
}

async function listen(door: Server, port: number): Promise<void> {
  door.listen(port, "localhost");
  await once(door, "listening");
}

async function ask(port: number, incoming: IncomingMessage): Promise<IncomingMessage> {
  const takesBody = await isSigned(incoming);
  const { method, url: path } = incoming;
  // `wrangler dev` refuses the Origin header of other origins, but signed addresses work from any.
  const { origin: _, connection: __, ...headers } = incoming.headers;
  if (!takesBody) {
    delete headers["transfer-encoding"];
    headers["content-length"] = "0";
  }
  const onward = request({ host: "localhost", port, method, path, headers, agent });
  const responded = once(onward, "response");
  // Storage may answer and close the connection before the body has ended.
  onward.on("error", () => {});
  incoming.on("close", () => {
    if (!incoming.complete) onward.destroy();
  });
  if (takesBody) incoming.pipe(onward);
  else onward.end();
  try {
    const [response] = await responded;
    return response;
  } finally {
    incoming.unpipe(onward);
    incoming.resume();
    if (!incoming.readableEnded) await finished(incoming);
  }
}

async function isSigned({ method = "", url = "", headers }: IncomingMessage): Promise<boolean> {
  const text = `http://${headers.host}${url}`;
  if (!URL.canParse(text)) return false;
  const address = new URL(text);
  const param = (name: string) => address.searchParams.get(name) ?? "";
  const signature = param("X-Amz-Signature");
  const datetime = param("X-Amz-Date");
  const lifeMs = Number(param("X-Amz-Expires")) * SECOND;
  const names = param("X-Amz-SignedHeaders").split(";");
  address.searchParams.delete("X-Amz-Signature");
  const signer = new AwsV4Signer({
    ...LOCAL_STORAGE,
    method,
    url: String(address),
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      names.includes(name) ? [[name, String(value)]] : [],
    ),
    service: "s3",
    region: "auto",
    datetime,
    signQuery: true,
    allHeaders: true,
  });
  if ((await signer.signature()) !== signature) return false;
  return datetime > toDatetime(new Date(Date.now() - lifeMs));
}
