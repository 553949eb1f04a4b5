import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Workspace } from "./workspace.ts";

export interface Platform {
  origin: string;
  /** Posts written so far. */
  posts(): number;
}

const BEARER = "Bearer ";

/** An account's own server on loopback, outside the process that is measured. A token names its account. */
export async function startPlatform(workspace: Workspace): Promise<Platform> {
  let posts = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const name = request.headers.authorization?.slice(BEARER.length) ?? "nobody";
      const did = `did:plc:${name}`;
      const isPost = request.url === "/xrpc/com.atproto.repo.putRecord";
      if (isPost) posts++;
      const answer = isPost
        ? { uri: `at://${did}/app.bsky.feed.post/${posts}`, cid: "bafyreib" }
        : { did, handle: `${name}.example.com`, active: true };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  workspace.onEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, posts: () => posts };
}
