import { parse } from "node:path";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Command } from "commander";
import { createApi } from "./api.ts";
import { readAllowedFolders } from "./bridge/allowed.ts";
import { Remote } from "./bridge/remote.ts";
import { createBridge } from "./bridge/server.ts";
import {
  addClientCommand,
  type ClientOptions,
  collect,
  connectionOf,
  type Setting,
} from "./client-command.ts";
import { toPath } from "./local-file.ts";
import { Problem } from "./program.ts";
import { removeOldJournals } from "./upload-journal.ts";

interface McpOptions extends ClientOptions {
  allow?: string[];
}

/** Adds `mcp`, which runs until its client closes standard input. */
export function addMcpCommand(program: Command, setting: Setting): void {
  addClientCommand(program, "mcp")
    .description("serves the instance's tools to an agent on this machine, with local files")
    .option(
      "--allow <folder>",
      "files below it may be published; repeat it; default: here",
      collect,
    )
    .addHelpText("after", MCP_HELP)
    .action((options: McpOptions) => serve(options, setting));
}

const MCP_HELP = `
An MCP client starts it and speaks to it by standard input and output. Its configuration:

  {"mcpServers": {"akimbo": {
    "command": "akimbo", "args": ["mcp", "--allow", "/home/me/Pictures"],
    "env": {"AKIMBO_URL": "https://…", "AKIMBO_TOKEN": "kmb_…"}}}}

The tools are those of the instance, and publish_carousel and publish_video for files of this machine. A file outside
the allowed folders is refused, and so is a link that leads out of them. Standard error tells what happens.`;

/** Clients may start their servers at the root: that would allow every file. @throws Problem */
function workingFolder(): string {
  const folder = toPath(".");
  if (folder !== parse(folder).root) return folder;
  throw new Problem(
    `Started in ${folder}: say which files may be published, by --allow and a folder.`,
  );
}

async function serve(options: McpOptions, setting: Setting): Promise<void> {
  const { host, stopping } = setting;
  const { allow = [workingFolder()] } = options;
  const connection = await connectionOf(options, setting);
  const { origin, token } = connection;
  const uploadsFolder = host.uploadsFolder(process.env);
  await removeOldJournals(uploadsFolder);
  const bridge = {
    ...{ connection, uploadsFolder, stopping },
    api: createApi(origin, token),
    remote: new Remote(origin, token),
    folders: await readAllowedFolders(allow),
  };
  // Standard output is the protocol's alone.
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
