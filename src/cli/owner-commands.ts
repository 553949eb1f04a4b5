import type { Command } from "commander";
import type { RestoreOptions } from "./backup/command.ts";
import type { GrantOptions } from "./credits-commands.ts";
import type { Place } from "./d1.ts";
import { readStateDir } from "./paths.ts";
import { Misuse, Problem } from "./program.ts";
import type { CreateOptions } from "./token-commands.ts";

// Each command imports its code when it runs, because the Worker's SQL takes half a second to load.

interface PlaceOptions {
  remote?: boolean;
}

interface TeamOptions extends PlaceOptions {
  team: string;
}

interface LinkOptions {
  email?: string;
  user?: string;
}

async function choosePlace({ remote }: PlaceOptions): Promise<Place> {
  const stateDir = readStateDir();
  if (!remote) return { kind: "local", stateDir };
  const { requireDeployConfig } = await import("./deploy-config.ts");
  return { kind: "remote", config: await requireDeployConfig(stateDir) };
}

export function addOwnerCommands(program: Command): void {
  const token = program.command("token").description("API tokens, straight in the database");
  const withPlace = (command: Command) =>
    command.option("--remote", "the deployed database instead of the local one");

  withPlace(token.command("create"))
    .description("creates a token and shows it once")
    .requiredOption("--name <name>", "what the token is for")
    .option("--scopes <scopes>", "comma-separated; default: all")
    .option("--team <id or slug>", "pins the token to this team")
    .option("--user <email or id>", "whom the token acts for; default: the only owner")
    .option("--init", "also creates the first owner, in an empty database")
    .option("--email <email>", "the first owner's address, with --init")
    .action(async (options: CreateOptions & PlaceOptions & { init?: boolean; email?: string }) => {
      const { init = false, email } = options;
      if (init !== (email !== undefined)) throw new Problem("--init and --email go together.");
      if (init && (options.team || options.user)) {
        throw new Problem("--init makes its own user and team: leave out --user and --team.");
      }
      const { createFirstToken, createUserToken } = await import("./token-commands.ts");
      const place = await choosePlace(options);
      const created = email
        ? await createFirstToken(place, { ...options, email })
        : await createUserToken(place, options);
      console.log(`${created.token}\n\nToken ${created.id} is shown this once; keep it safe.`);
    });

  withPlace(token.command("list"))
    .description("shows all tokens, without their secret part")
    .action(async (options: PlaceOptions) => {
      const { describeTokens } = await import("./token-commands.ts");
      console.log(await describeTokens(await choosePlace(options)));
    });

  withPlace(token.command("revoke"))
    .description("ends a token; it stops working at once")
    .argument("<id>", "the number that token list shows")
    .action(async (id: string, options: PlaceOptions) => {
      const { revokeToken } = await import("./token-commands.ts");
      console.log(`Revoked ${await revokeToken(await choosePlace(options), id)}.`);
    });

  const credits = program.command("credits").description("X credits of a team");
  const plan = program.command("plan").description("the plan of a team");
  const ofTeam = (command: Command) =>
    withPlace(command).requiredOption("--team <id or slug>", "the team");

  ofTeam(credits.command("show"))
    .description("shows what is left, and the packs")
    .action(async (options: TeamOptions) => {
      const { describeCredits } = await import("./credits-commands.ts");
      console.log(await describeCredits(await choosePlace(options), options.team));
    });

  ofTeam(credits.command("grant"))
    .description("adds purchased credits")
    .option("--pack <name>", "a pack that is sold, such as Starter")
    .option("--amount <credits>", "any number of credits instead")
    .action(async (options: TeamOptions & GrantOptions) => {
      const { grantCredits } = await import("./credits-commands.ts");
      console.log(await grantCredits(await choosePlace(options), options));
    });

  ofTeam(credits.command("refund"))
    .description("takes back what is left of a pack")
    .requiredOption("--id <pack_…>", "the pack, as credits show lists it")
    .action(async (options: TeamOptions & { id: string }) => {
      const { refundCredits } = await import("./credits-commands.ts");
      console.log(await refundCredits(await choosePlace(options), options));
    });

  ofTeam(plan.command("show"))
    .description("shows the plan")
    .action(async (options: TeamOptions) => {
      const { describePlan } = await import("./plan-commands.ts");
      console.log(await describePlan(await choosePlace(options), options.team));
    });

  withPlace(plan.command("list"))
    .description("shows the plan of every team")
    .action(async (options: PlaceOptions) => {
      const { describePlans } = await import("./plan-commands.ts");
      console.log(await describePlans(await choosePlace(options)));
    });

  ofTeam(plan.command("set"))
    .description("changes the plan, and notifies the team's webhooks")
    .argument("<plan>", "the plan's name, or none for the plan that the team had at first")
    .option("--until <date>", "when it ends by itself, in UTC; default: never")
    .action(async (name: string, options: TeamOptions & { until?: string }) => {
      const { setPlan } = await import("./plan-commands.ts");
      const { team, until } = options;
      console.log(await setPlan(await choosePlace(options), team, { name, until }));
    });

  ofTeam(plan.command("legacy-domains"))
    .description("gives the team domains from a former plan, or takes them")
    .argument("<on or off>", "on, or off")
    .action(async (switched: string, options: TeamOptions) => {
      const { setLegacyDomains } = await import("./plan-commands.ts");
      console.log(await setLegacyDomains(await choosePlace(options), options.team, switched));
    });

  const suggestions = program.command("suggestions").description("what people suggest");

  withPlace(suggestions.command("list"))
    .description("shows the newest suggestions of all teams")
    .action(async (options: PlaceOptions) => {
      const { describeSuggestions } = await import("./suggestion-commands.ts");
      console.log(await describeSuggestions(await choosePlace(options)));
    });

  withPlace(suggestions.command("set"))
    .description("changes the status of one, and notifies the team's webhooks")
    .argument("<id>", "the number that suggestions list shows")
    .argument("<status>", "open, planned, done or declined")
    .action(async (id: string, status: string, options: PlaceOptions) => {
      const { setStatus } = await import("./suggestion-commands.ts");
      console.log(await setStatus(await choosePlace(options), id, status));
    });

  withPlace(program.command("keys"))
    .description("shows how many logins each encryption key encrypts")
    .action(async (options: PlaceOptions) => {
      const { describeKeys } = await import("./key-commands.ts");
      console.log(await describeKeys(await choosePlace(options)));
    });

  withPlace(program.command("signin-link"))
    .description("makes a link that signs one person in, once and within the hour")
    .option("--email <email>", "whom; default: the owner, the first person of the instance")
    .option("--user <id>", "whom, by their id")
    .action(async ({ email, user, ...options }: PlaceOptions & LinkOptions) => {
      if (email !== undefined && user !== undefined) {
        throw new Problem(
          "--email and --user both say whom the link is for. Leave one of them out.",
        );
      }
      const { createLink, findOrigin } = await import("./sign-in-links.ts");
      const place = await choosePlace(options);
      const origin = await findOrigin(place);
      const to = user === undefined ? null : { id: user };
      const link = await createLink(place, email === undefined ? to : { email });
      console.log(`${origin}${link.path}\n\nIt signs ${link.email} in, once and within the hour.`);
    });

  withPlace(program.command("backup"))
    .description(
      "copies the whole database; of a local instance, with a list of the files in the bucket",
    )
    .option("--to <folder>", "a new folder; default: where the nightly backups are")
    .action(async (options: PlaceOptions & { to?: string }) => {
      const { makeBackup } = await import("./backup/make.ts");
      console.log(await makeBackup(await choosePlace(options), options));
    });

  withPlace(program.command("restore"))
    .description("brings a backup back into an empty instance")
    .option("--from <folder or id>", "a folder that backup --to made, or a backup of --list")
    .option("--list", "shows the backups in the storage")
    .option("--start-over", "drops what an interrupted restore has written")
    .action(async (options: PlaceOptions & RestoreOptions) => {
      if ((options.from === undefined) === (options.list !== true)) {
        throw new Misuse("Say either --from, with a folder or a backup's id, or --list.");
      }
      const { listBackups, restore } = await import("./backup/command.ts");
      const place = await choosePlace(options);
      console.log(await (options.list ? listBackups(place) : restore(place, options)));
    });

  program
    .command("doctor")
    .description(
      "shows what each platform needs, asks it about your app, and warns of API versions that end soon",
    )
    .option(
      "--remote",
      "looks at the instance at AKIMBO_URL: its /health, and the names of its secrets",
    )
    .action(async (options: { remote?: boolean }) => {
      const { runDoctor } = await import("./doctor.ts");
      await runDoctor(options);
    });
}
