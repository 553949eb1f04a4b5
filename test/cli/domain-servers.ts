import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The failure of a server that it shows in place of its answer. */
export type Trouble = { status: number; headers?: Record<string, string>; body?: string } | "late";

/** Longer than anybody waits for it. */
const LATE_MS = 12_000;

interface Asked {
  method: string;
  url: URL;
  body: Record<string, unknown>;
}

/** A server of somebody else's that this machine stands in for. */
export interface StandIn {
  origin: string;
  /** Null: it answers as it should. */
  trouble: Trouble | null;
  stop(): Promise<void>;
}

async function readBody(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString() || "{}");
}

async function serve(
  answer: (asked: Asked) => { status?: number; json: unknown },
): Promise<StandIn> {
  const standIn = { origin: "", trouble: null as Trouble | null, stop: async () => {} };
  const send = (response: ServerResponse, told: Exclude<Trouble, "late">) =>
    response.writeHead(told.status, told.headers).end(told.body ?? "");
  const server = createServer(async (incoming, response) => {
    const { method = "", url = "" } = incoming;
    const asked = { method, url: new URL(url, "http://stand-in"), body: await readBody(incoming) };
    const { trouble } = standIn;
    if (trouble === "late") {
      setTimeout(() => send(response, { status: 200, body: "{}" }), LATE_MS).unref();
      return;
    }
    if (trouble) {
      send(response, trouble);
      return;
    }
    const { status = 200, json } = answer(asked);
    const headers = { "content-type": "application/json" };
    send(response, { status, headers, body: JSON.stringify(json) });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  standIn.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  standIn.stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return standIn;
}

const TYPES: Record<string, number> = { TXT: 16, CNAME: 5 };
const NO_SUCH_NAME = 3;

/**
 * A resolver by DNS-over-HTTPS. `records` are by type and name, such as `TXT go.example.com`.
 *
 * @see https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/
 */
export async function startResolver(records: Map<string, string>): Promise<StandIn> {
  return serve(({ url }) => {
    const [name = "", type = ""] = ["name", "type"].map((one) => url.searchParams.get(one) ?? "");
    const data = records.get(`${type} ${name}`);
    if (data === undefined) return { json: { Status: NO_SUCH_NAME } };
    return { json: { Status: 0, Answer: [{ name, type: TYPES[type], TTL: 60, data }] } };
  });
}

interface Hostname {
  id: string;
  hostname: string;
  status: string;
}

const shown = ({ id, hostname, status }: Hostname) => ({
  ...{ id, hostname, status },
  ownership_verification: {
    type: "txt",
    name: `_cf-custom-hostname.${hostname}`,
    value: `own-${id}`,
  },
  ssl: { status, dcv_delegation_records: [{ cname_target: `${hostname}.dcv.example` }] },
});

const refuse = (status: number, code: number, message: string) => ({
  status,
  json: { success: false, errors: [{ code, message }], result: null },
});

/**
 * The API of custom hostnames of one zone.
 *
 * @see https://developers.cloudflare.com/api/resources/custom_hostnames/
 */
export async function startEdge(zone: string, hostnames: Hostname[]): Promise<StandIn> {
  const base = `/client/v4/zones/${zone}/custom_hostnames`;
  let serial = 0;
  return serve(({ method, url, body }) => {
    if (!url.pathname.startsWith(base)) return refuse(404, 7_003, "No route for that URI");
    const ok = (result: unknown) => ({ json: { success: true, errors: [], result } });
    if (method === "GET") {
      const wanted = url.searchParams.get("hostname");
      return ok(hostnames.filter(({ hostname }) => hostname === wanted).map(shown));
    }
    if (method === "POST") {
      const hostname = String(body.hostname);
      if (hostnames.some((one) => one.hostname === hostname)) {
        return refuse(409, 1_406, "Duplicate custom hostname found.");
      }
      const made = { id: `edge-${++serial}`, hostname, status: "pending" };
      hostnames.push(made);
      return ok(shown(made));
    }
    const at = hostnames.findIndex(({ id }) => url.pathname === `${base}/${id}`);
    const known = hostnames[at];
    if (!known) return refuse(404, 1_436, "The custom hostname was not found.");
    if (method === "PATCH") return ok(shown(known));
    hostnames.splice(at, 1);
    return { json: { id: known.id } };
  });
}

/** Visits an address of a server on this machine by whatever host name; where it leads to, or the status. */
export function visit(port: number, host: string, path: string): Promise<string | number> {
  return new Promise((resolve, reject) => {
    request({ host: "localhost", port, path, headers: { host } }, (response) => {
      response.resume();
      resolve(response.headers.location ?? response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}
