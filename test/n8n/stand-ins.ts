import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "localhost", () => {
      resolve(`http://localhost:${(server.address() as AddressInfo).port}`);
    });
  });
}

export interface Place {
  origin: string;
  close(): void;
}

const placeOf = async (server: Server): Promise<Place> => ({
  origin: await listen(server),
  close: () => {
    server.closeAllConnections();
    server.close();
  },
});

/** A site that has files, for n8n to download. */
export const startFiles = (files: Record<string, { type: string; bytes: Buffer }>) =>
  placeOf(
    createServer((incoming, outgoing) => {
      const file = files[incoming.url ?? ""];
      outgoing.writeHead(file ? 200 : 404, { "content-type": file?.type ?? "text/plain" });
      outgoing.end(file?.bytes);
    }),
  );

function passOn(origin: string, incoming: IncomingMessage, outgoing: ServerResponse, path: string) {
  const { method = "GET", headers } = incoming;
  const sent = request(new URL(path, origin).href, { method, headers }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(outgoing);
  });
  sent.on("error", () => outgoing.destroy());
  incoming.pipe(sent);
}

/** The instance as it was before it had the path: it answers with the words that it has for unknown ones. */
export const startOlder = (origin: string, missing: string) =>
  placeOf(
    createServer((incoming, outgoing) => {
      const path = incoming.url ?? "";
      passOn(origin, incoming, outgoing, path.startsWith(missing) ? "/api/v1/not-yet" : path);
    }),
  );

const answer = (outgoing: ServerResponse, status: number, body: object, headers = {}) => {
  outgoing.writeHead(status, { "content-type": "application/json", ...headers });
  outgoing.end(JSON.stringify({ success: false, ...body }));
};

/** The instance without a key for its storage. */
export const startKeyless = (origin: string) =>
  placeOf(
    createServer((incoming, outgoing) => {
      const path = incoming.url ?? "";
      if (path !== "/api/v1/upload/presign") return passOn(origin, incoming, outgoing, path);
      incoming.resume();
      answer(outgoing, 503, { error: "The storage has no key.", code: "UNAVAILABLE" });
    }),
  );

/** The instance at its limit of calls: each path is refused the first time. */
export function startBusy(origin: string, retryAfterSeconds: number) {
  const refused = new Set<string>();
  return placeOf(
    createServer((incoming, outgoing) => {
      const path = incoming.url ?? "";
      if (refused.has(path)) return passOn(origin, incoming, outgoing, path);
      refused.add(path);
      const body = { error: "Too many calls.", code: "RATE_LIMIT" };
      answer(outgoing, 429, body, { "retry-after": String(retryAfterSeconds) });
    }),
  );
}
