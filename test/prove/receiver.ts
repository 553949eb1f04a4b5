import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** One request that came in. */
export interface Taken {
  /** Name of the endpoint: the last part of its path. */
  endpoint: string;
  eventId: string;
  at: number;
  /** From the time that the event bears to its arrival. */
  delayMs: number;
}

type Behaviour = (response: ServerResponse) => void | Promise<void>;

const HANG_MS = 11_000;
const DRIP_MS = 1_500;
const LARGE = "x".repeat(500_000);

/** How endpoints behave, by the first word of their names. */
export const BEHAVIOURS = {
  good: (response) => void response.end("ok"),
  flaky: (response) => void response.writeHead(Math.random() < 0.3 ? 500 : 200).end(),
  dead: () => {},
  hanging: async (response) => {
    await sleep(HANG_MS, undefined, { ref: false });
    response.end("late");
  },
  /** A status line, byte by byte: it is never complete in time. */
  dripping: async ({ socket }) => {
    for (const byte of "HTTP/1.1 200 OK\r\n") {
      if (!socket || socket.destroyed) return;
      socket.write(byte);
      await sleep(DRIP_MS, undefined, { ref: false });
    }
  },
  /** The answer is there at once, its body never ends. */
  trickling: async (response) => {
    response.writeHead(200);
    while (!response.destroyed) {
      response.write("x");
      await sleep(DRIP_MS, undefined, { ref: false });
    }
  },
  redirecting: (response) => void response.writeHead(302, { location: "/elsewhere" }).end(),
  large: (response) => void response.end(LARGE),
  resetting: ({ socket }) => void socket?.resetAndDestroy(),
} satisfies Record<string, Behaviour>;

export type BehaviourName = keyof typeof BEHAVIOURS;

/** Somebody's server of many endpoints, each of which behaves in its own way. */
export async function startReceiver() {
  const taken: Taken[] = [];
  const followed: string[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const at = Date.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const endpoint = request.url?.split("/").at(-1) ?? "";
    const behave = BEHAVIOURS[endpoint.split("-")[0] as BehaviourName];
    if (!behave) {
      followed.push(endpoint);
      return response.end();
    }
    const { id, createdAt } = JSON.parse(Buffer.concat(chunks).toString());
    taken.push({ endpoint, eventId: id, at, delayMs: at - Date.parse(createdAt) });
    await behave(response);
  });
  server.on("clientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    taken,
    followed,
    url: (endpoint: string) =>
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/${endpoint}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
