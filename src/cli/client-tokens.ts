import type { Command } from "commander";
import type { Schemas } from "../client/index.ts";
import {
  addClientCommand,
  type ClientOptions,
  openApi,
  type Setting,
  show,
  withJson,
} from "./client-command.ts";
import { Misuse } from "./program.ts";
import { retrying } from "./retry.ts";
import { formatTable } from "./table.ts";
import { parseScopes } from "./tokens.ts";

interface NewTokenOptions extends ClientOptions {
  name: string;
  scopes?: string;
  team?: string;
}

export function addClientTokens(program: Command, setting: Setting): void {
  const token = program
    .command("token")
    .description("API tokens of your own; it takes a token with all scopes");

  withJson(addClientCommand(token, "create"))
    .description("creates a token and shows it once")
    .requiredOption("--name <name>", "what the token is for")
    .option("--scopes <scopes>", "comma-separated; default: all")
    .option("--team <id>", "pins the token to this team, by its number")
    .action(async ({ name, scopes = "", team, ...options }: NewTokenOptions) => {
      const api = await openApi(options, setting);
      const teamId = team === undefined ? {} : { teamId: toNumber(team, "a team") };
      const made = await api.createToken({ name, scopes: parseScopes(scopes), ...teamId });
      const shown = `${made.token}\n\nToken ${made.id} is shown this once; keep it safe.`;
      show(options, made, () => shown);
    });

  withJson(addClientCommand(token, "list"))
    .description("shows your tokens, without their secret part")
    .action(async (options: ClientOptions) => {
      const api = await openApi(options, setting);
      const tokens = await retrying(() => api.listTokens());
      show(options, tokens, () => formatTokens(tokens));
    });

  addClientCommand(token, "revoke")
    .description("ends a token; it stops working at once")
    .argument("<id>", "the number that token list shows")
    .action(async (id: string, options: ClientOptions) => {
      const api = await openApi(options, setting);
      await api.revokeToken(toNumber(id, "a token"));
      console.log(`Revoked token ${id}.`);
    });
}

/** @throws Misuse for an invalid number */
function toNumber(input: string, what: string): number {
  if (/^\d{1,15}$/.test(input)) return Number(input);
  throw new Misuse(`"${input}" is not the number of ${what}.`);
}

const formatTokens = (tokens: readonly Schemas["Token"][]): string =>
  formatTable(
    ["Id", "Name", "Token", "Team", "Created", "Last used", "Scopes"],
    tokens.map(({ id, name, hint, teamId, createdAt, lastUsedAt, scopes }) => [
      String(id),
      name,
      hint,
      teamId === null ? "any" : String(teamId),
      createdAt.slice(0, 10),
      lastUsedAt?.slice(0, 10) ?? "never",
      scopes.join(","),
    ]),
  );
