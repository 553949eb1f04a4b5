import type { Command } from "commander";
import { createApi, requireInstance } from "./api.ts";
import { Remote } from "./bridge/remote.ts";
import { addClientCommand, type ClientOptions, type Setting } from "./client-command.ts";
import { readConnection } from "./connection.ts";
import { Problem } from "./program.ts";

export function addClientDoctor(program: Command, setting: Setting): void {
  addClientCommand(program, "doctor")
    .description("shows if the instance is well, and what the token can do there")
    .action(async (options: ClientOptions) => {
      const connection = await readConnection(options, setting.host);
      const { origin, credential } = connection;
      const health = await requireInstance(connection);
      console.log(`${origin} is ${health.status}.${health.error ? ` ${health.error}` : ""}`);
      const accounts = await createApi(origin, credential).listAccounts();
      const active = accounts.filter(({ status }) => status === "active");
      console.log(`The token works: ${accounts.length} accounts, ${active.length} active.`);
      const tools = await new Remote(origin, credential).listTools();
      console.log(`Agents have ${tools.length} tools at ${origin}/mcp.`);
      if (health.status !== "ok") throw new Problem("The instance is not well.");
    });
}
