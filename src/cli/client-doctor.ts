import type { Command } from "commander";
import { askHealth, createApi } from "./api.ts";
import { Remote } from "./bridge/remote.ts";
import {
  addClientCommand,
  type ClientOptions,
  connectionOf,
  type Setting,
} from "./client-command.ts";
import { Problem } from "./program.ts";
import { TRY_LATER } from "./retry.ts";

export function addClientDoctor(program: Command, setting: Setting): void {
  addClientCommand(program, "doctor")
    .description("shows if the instance is well, and what the token can do there")
    .action(async (options: ClientOptions) => {
      const { origin, token, remedy } = await connectionOf(options, setting);
      const health = await askHealth(origin);
      if (!health) throw new Problem(`Nothing answers at ${origin}/health. ${remedy}`, TRY_LATER);
      if (!health.status) {
        throw new Problem(`The server at ${origin}/health is not Akimbo: ${health.text}`);
      }
      console.log(`${origin} is ${health.status}.${health.error ? ` ${health.error}` : ""}`);
      const accounts = await createApi(origin, token).listAccounts();
      const active = accounts.filter(({ status }) => status === "active");
      console.log(`The token works: ${accounts.length} accounts, ${active.length} active.`);
      const tools = await new Remote(origin, token).listTools();
      console.log(`Agents have ${tools.length} tools at ${origin}/mcp.`);
      if (health.status !== "ok") throw new Problem("The instance is not well.");
    });
}
