import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

type Server = ReturnType<typeof createServer>;

/** Listens on a free port of this machine, as long as the program runs; the origin. */
export async function listen(server: Server): Promise<string> {
  server.listen(0, "localhost");
  await once(server, "listening");
  server.unref();
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

export async function readBody(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Null when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Serves one file to whoever asks; its address. */
export async function serveFile(bytes: Buffer, type: string): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": type }).end(bytes);
  });
  return `${await listen(server)}/file`;
}
