import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { inProject } from "../../src/cli/paths.ts";
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

/** A page with a script that shows in the page's address whether it ran. */
export const SCRIPTED = '<!doctype html><main>Here</main><script>location.hash = "ran"</script>';

/** Serves a logo, a page that uploads, one with a script, and a page under every other path. */
export async function startSite(): Promise<Site> {
  const pages: Record<string, string> = {
    "/uploader": await readFile(inProject("test/browser/uploader.html"), "utf8"),
    "/scripted": SCRIPTED,
  };
  const server = createServer(({ url = "" }, response) => {
    const isLogo = url === "/logo.png";
    response.setHeader("content-type", isLogo ? "image/png" : "text/html");
    response.end(isLogo ? LOGO : (pages[url] ?? "<main>The site of a customer</main>"));
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
