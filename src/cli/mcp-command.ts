import type { Command } from "commander";
import type { McpOptions } from "./bridge/serve.ts";
import { addClientCommand, collect, type Setting } from "./client-command.ts";
import { Misuse } from "./program.ts";

export function addMcpCommand(program: Command, setting: Setting): void {
  addClientCommand(program, "mcp")
    .description("serves the instance's tools to an agent on this machine, with local files")
    .option(
      "--allow <folder>",
      "files below it may be published; repeat it; default: here",
      collect,
    )
    .addHelpText("after", MCP_HELP)
    .action(async (options: McpOptions) => {
      if (options.tokenFile === "-") {
        throw new Misuse("Standard input is the agent's here. Give --token-file a file.");
      }
      const { serve } = await import("./bridge/serve.ts");
      await serve(options, setting);
    });
}

const MCP_HELP = `
An MCP client starts it and speaks to it by standard input and output. Its configuration:

  {"mcpServers": {"akimbo": {
    "command": "akimbo", "args": ["mcp", "--allow", "/home/me/Pictures"],
    "env": {"AKIMBO_URL": "https://…", "AKIMBO_TOKEN": "kmb_…"}}}}

After akimbo login it needs no AKIMBO_TOKEN. The tools are those of the instance, and publish_carousel and publish_video
for files of this machine. A file outside the allowed folders is refused, and so is a link that leads out of them.
Standard error tells what happens.`;
