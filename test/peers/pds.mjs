import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { PDS } from "@atproto/pds";
import plc from "@did-plc/server";

// A Bluesky server with its DID directory: `node pds.mjs <folder> [host]` keeps its files there, prints
// both addresses and runs until it is stopped, or until the program that started it is gone. With a host,
// it believes to be https://<host>. The program that started it may send real origins with the ones that
// answer for them.

const secret = () => randomBytes(32).toString("hex");

/** Real origin → the one that answers for it. */
const origins = {};
process.on("message", (replaced) => Object.assign(origins, replaced));

const network = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const address = input instanceof Request ? input.url : String(input);
  const { origin } = new URL(address);
  const url = address.replace(origin, origins[origin] ?? origin);
  return network(input instanceof Request ? new Request(url, input) : url, init);
};

async function findFreePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startDirectory() {
  const port = await findFreePort();
  await plc.PlcServer.create({ db: plc.Database.mock(), port }).start();
  return `http://localhost:${port}`;
}

async function startPds(folder, didPlcUrl, hostname) {
  const port = await findFreePort();
  const blobs = join(folder, "blobs");
  await mkdir(blobs, { recursive: true });
  const pds = await PDS.fromEnv({
    devMode: true,
    port,
    hostname,
    dataDirectory: folder,
    blobstoreDiskLocation: blobs,
    didPlcUrl,
    adminPassword: secret(),
    jwtSecret: process.env.PDS_JWT_SECRET ?? secret(),
    plcRotationKeyK256PrivateKeyHex: secret(),
    serviceHandleDomains: [".test"],
    inviteRequired: false,
    disableSsrfProtection: true,
  });
  await pds.start();
  return `http://localhost:${port}`;
}

process.on("disconnect", () => process.exit());
const [folder, host = "localhost"] = process.argv.slice(2);
if (!folder) throw new Error("Usage: node pds.mjs <folder> [host]");
const directory = await startDirectory();
const addresses = { origin: await startPds(folder, directory, host), directory };
console.log(addresses);
process.send?.(addresses);
