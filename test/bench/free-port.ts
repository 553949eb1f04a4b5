import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Returns a port that nothing listens on at the moment. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "localhost");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
