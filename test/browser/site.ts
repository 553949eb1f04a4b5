import { once } from "node:events";
import { createServer } from "node:http";
import { createGradientPng } from "../../src/cli/png.ts";

const LOGO = createGradientPng({
  width: 240,
  height: 80,
  from: [11, 107, 60],
  to: [240, 200, 120],
});

/** A site of somebody else: people are sent on to it, and it has a logo. */
export interface Site {
  origin: string;
  close(): void;
}

/** Serves a logo, and a page under every other path. */
export async function startSite(): Promise<Site> {
  const server = createServer((request, response) => {
    const isLogo = request.url === "/logo.png";
    response.setHeader("content-type", isLogo ? "image/png" : "text/html");
    response.end(isLogo ? LOGO : "<main>The site of a customer</main>");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The system gave no port.");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
