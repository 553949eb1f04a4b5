import { parse } from "node:path";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createApi } from "../api.ts";
import type { ClientOptions, Setting } from "../client-command.ts";
import { readConnection } from "../connection.ts";
import { toPath } from "../local-file.ts";
import { Problem } from "../program.ts";
import { removeOldJournals } from "../upload-journal.ts";
import { readAllowedFolders } from "./allowed.ts";
import { Remote } from "./remote.ts";
import { createBridge } from "./server.ts";

export interface McpOptions extends ClientOptions {
  allow?: string[];
}

/**
 * A client may start the bridge in the root folder, which would allow every file.
 *
 * @throws Problem in the root folder
 */
function workingFolder(): string {
  const folder = toPath(".");
  if (folder !== parse(folder).root) return folder;
  throw new Problem(
    `Started in ${folder}: say which files may be published, by --allow and a folder.`,
  );
}

/**
 * Serves until the client closes standard input.
 *
 * @throws Problem for an unusable connection or folder
 */
export async function serve(options: McpOptions, { host, stopping }: Setting): Promise<void> {
  const { allow = [workingFolder()] } = options;
  const connection = await readConnection(options, host);
  const { origin, credential } = connection;
  const uploadsFolder = host.uploadsFolder(process.env);
  await removeOldJournals(uploadsFolder);
  const bridge = {
    connection,
    uploadsFolder,
    stopping,
    api: createApi(origin, credential),
    remote: new Remote(origin, credential),
    folders: await readAllowedFolders(allow),
  };
  // Only the protocol writes to standard output.
  console.log = console.error;
  console.error(`Akimbo's tools, from ${origin}, for files in ${allow.join(", ")}.`);
  const ended = new Promise<void>((resolve) =>
    process.stdin.once("close", resolve).once("end", resolve),
  );
  const served = serveStdio(() => createBridge(bridge), {
    onerror: (error) => console.error(error.message),
  });
  await ended;
  await served.close();
}
