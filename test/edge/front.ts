import { Agent, createServer, type IncomingMessage, request, type Server } from "node:http";
import type { Account } from "./account.ts";
import { chooseVersion } from "./choose-version.ts";
import type { Runner } from "./runner.ts";
import type { Running } from "./worker-options.ts";

/** What the edge tells a Worker about where a call comes from. */
const CF = { country: "DE", colo: "FRA", city: "Berlin", timezone: "Europe/Berlin", asn: 64_496 };

/** A visitor's connection stays open between calls, also on a busy machine. */
export const KEEP_ALIVE_MS = 10 * 60_000;
/** The runtime closes idle connections by itself, so each call has its own. */
export const AGENT = new Agent({ keepAlive: false });

/** The script of a host: a custom domain's, one of workers.dev's, or the first without a domain. */
function scriptOf({ state }: Account, host: string): string | undefined {
  const domain = state.domains.find(({ hostname }) => hostname === host);
  if (domain) return domain.service;
  const named = state.scripts.find(({ name }) => host === `${name}.${state.subdomain}.workers.dev`);
  const hasDomain = (name: string) => state.domains.some(({ service }) => service === name);
  const other = state.scripts.find(({ name }) => !hasDomain(name)) ?? state.scripts[0];
  return (named ?? other)?.name;
}

/** The door through which visitors come: it chooses a version for each call, and passes the call on. */
export function startFront(account: Account, runner: Runner, port: number): Promise<Server> {
  const server = createServer((incoming, response) => {
    const host = (incoming.headers.host ?? "").replace(/:\d+$/, "");
    runner
      .use(async (running) => {
        const script = scriptOf(account, host);
        const chosen = chooseVersion(
          running.filter((one) => one.script.name === script),
          incoming.headers,
        );
        if (chosen) return pass(runner, chosen, incoming, response);
        response.writeHead(404).end("There is nothing here yet.\n");
      })
      .catch((error: unknown) => {
        console.error(error);
        // An answer that broke off must not look like a whole one.
        if (response.headersSent) response.destroy();
        else response.writeHead(502).end();
      });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(server)));
}

function pass(
  runner: Runner,
  { worker, version }: Running,
  incoming: IncomingMessage,
  response: Parameters<NonNullable<Parameters<typeof createServer>[1]>>[1],
): Promise<void> {
  const { hostname, port } = new URL(runner.address(worker));
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        hostname,
        port,
        agent: AGENT,
        method: incoming.method,
        path: incoming.url,
        headers: {
          ...incoming.headers,
          "cf-connecting-ip": incoming.socket.remoteAddress ?? "127.0.0.1",
          "mf-cf-blob": JSON.stringify(CF),
        },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, {
          ...answer.headers,
          "x-edge-version": version.id,
        });
        answer.pipe(response);
        answer.on("end", resolve).on("error", reject);
      },
    );
    outgoing.on("error", reject);
    response.on("close", () => {
      outgoing.destroy();
      resolve();
    });
    incoming.pipe(outgoing);
  });
}
