import type { AddressInfo } from "node:net";
import { Account } from "./account.ts";
import { Api, type Cloud } from "./api.ts";
import { type Controlled, controlRoutes } from "./control.ts";
import { startFront } from "./front.ts";
import { QueueBroker } from "./queue-broker.ts";
import { ASSET_ROUTES } from "./routes/assets.ts";
import { D1_ROUTES } from "./routes/d1.ts";
import { SCRIPT_ROUTES } from "./routes/scripts.ts";
import { QUEUE_ROUTES, STORAGE_ROUTES } from "./routes/storage.ts";
import { TRIGGER_ROUTES, USER_ROUTES } from "./routes/triggers.ts";
import { Runner } from "./runner.ts";
import { startSchedules } from "./schedules.ts";
import { READY, type ServerOptions } from "./server-options.ts";

const options = JSON.parse(process.argv[2] ?? "") as ServerOptions;
const account = new Account(options.folder, options.plan, options.limits);
account.save();
const broker = new QueueBroker(account);
const runner = new Runner(account, (request) => broker.take(request));
const cloud: Cloud = { account, runner, origin: "" };
const controlled: Controlled = { broker, api: null };
const api = new Api(cloud, [
  ...ASSET_ROUTES,
  ...D1_ROUTES,
  ...SCRIPT_ROUTES,
  ...STORAGE_ROUTES,
  ...QUEUE_ROUTES,
  ...TRIGGER_ROUTES,
  ...USER_ROUTES,
  ...controlRoutes(controlled),
]);
controlled.api = api;
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
const apiPort = portOf(await api.listen(options.apiPort ?? 0));
cloud.origin = `http://127.0.0.1:${apiPort}`;
const frontPort = portOf(await startFront(account, runner, options.port ?? 0));
await runner.ready();
broker.start(runner);
if (options.schedules) startSchedules(account, runner);
process.on("SIGTERM", async () => {
  broker.stop();
  await runner.stop();
  process.exit(0);
});
console.log(READY + JSON.stringify({ apiPort, port: frontPort }));
