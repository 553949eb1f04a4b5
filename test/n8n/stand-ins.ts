import { createServer, request, type Server } from "node:http";
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

/** The instance as it was before it had the path: it answers with the words that it has for unknown ones. */
export const startOlder = (origin: string, missing: string) =>
  placeOf(
    createServer((incoming, outgoing) => {
      const path = incoming.url ?? "";
      const answer = request(
        new URL(path.startsWith(missing) ? "/api/v1/not-yet" : path, origin).href,
        { method: incoming.method ?? "GET", headers: incoming.headers },
        (reply) => {
          outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
          reply.pipe(outgoing);
        },
      );
      answer.on("error", () => outgoing.destroy());
      incoming.pipe(answer);
    }),
  );
