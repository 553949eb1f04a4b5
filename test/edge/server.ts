import type { AddressInfo } from "node:net";
import { Account } from "./account.ts";
import { Api, type Cloud } from "./api.ts";
import { type Controlled, controlRoutes } from "./control.ts";
import { startFront } from "./front.ts";
import { QueueBroker } from "./queue-broker.ts";
import { ACCOUNT_ROUTES } from "./routes/all.ts";
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
const api = new Api(cloud, [...ACCOUNT_ROUTES, ...controlRoutes(controlled)]);
controlled.api = api;
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
const apiPort = portOf(await api.listen(options.apiPort ?? 0));
cloud.origin = `http://127.0.0.1:${apiPort}`;
const frontPort = portOf(await startFront(account, runner, options.port ?? 0));
await runner.ready();
broker.start(runner);
if (options.schedules) startSchedules(account, runner);
async function stop(): Promise<void> {
  broker.stop();
  await runner.stop();
  process.exit(0);
}
process.on("SIGTERM", () => void stop());
// The program that started it is gone.
process.stdin.resume().on("end", () => void stop());
console.log(READY + JSON.stringify({ apiPort, port: frontPort }));
