import { Command } from "commander";
import type { Place } from "./d1.ts";
import { requireDeployConfig } from "./deploy-config.ts";
import { readStateDir } from "./paths.ts";
import { Problem, runProgram } from "./program.ts";
import {
  type CreateOptions,
  createFirstToken,
  createUserToken,
  describeTokens,
  revokeToken,
} from "./token-commands.ts";

interface PlaceOptions {
  remote?: boolean;
}

async function choosePlace({ remote }: PlaceOptions): Promise<Place> {
  const stateDir = readStateDir();
  if (remote) return { kind: "remote", config: await requireDeployConfig(stateDir) };
  return { kind: "local", stateDir };
}

function createProgram(): Command {
  const program = new Command("npm run cli --").description("Akimbo from the command line.");
  const token = program.command("token").description("API tokens, straight in the database");
  const withPlace = (command: Command) =>
    command.option("--remote", "the deployed database instead of the local one");

  withPlace(token.command("create"))
    .description("creates a token and shows it once")
    .requiredOption("--name <name>", "what the token is for")
    .option("--scopes <scopes>", "comma-separated; without it, everything")
    .option("--team <id or slug>", "pins the token to this team")
    .option("--user <email>", "whose token; without it, the only owner's")
    .option("--init", "creates the first owner of an empty database, too")
    .option("--email <email>", "the first owner's address, with --init")
    .action(async (options: CreateOptions & PlaceOptions & { init?: boolean; email?: string }) => {
      const { init = false, email } = options;
      if (init !== (email !== undefined)) throw new Problem("--init and --email go together.");
      if (init && (options.team || options.user)) {
        throw new Problem("--init makes its own user and team: leave out --user and --team.");
      }
      const place = await choosePlace(options);
      const created = email
        ? await createFirstToken(place, { ...options, email })
        : await createUserToken(place, options);
      console.log(`${created.token}\n\nToken ${created.id} is shown this once; keep it safe.`);
    });

  withPlace(token.command("list"))
    .description("shows all tokens, without their secret part")
    .action(async (options: PlaceOptions) => {
      console.log(await describeTokens(await choosePlace(options)));
    });

  withPlace(token.command("revoke"))
    .description("makes a token useless at once")
    .argument("<id>", "the number that token list shows")
    .action(async (id: string, options: PlaceOptions) => {
      console.log(`Revoked ${await revokeToken(await choosePlace(options), id)}.`);
    });
  return program;
}

await runProgram(async () => {
  await createProgram().parseAsync();
  return 0;
});
