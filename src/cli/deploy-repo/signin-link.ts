import { parseArgs } from "node:util";
import { type Addressee, prepareLink } from "../sign-in-statements.ts";
import { runInFolder } from "./run.ts";
import { CONFIG, REPORT, readConfig, runWrangler, writeConfig } from "./wrangler.ts";

// `npm run signin-link` in the folder of the deploy button: makes a link for somebody who cannot sign in otherwise. Its
// options are those of `npm run cli -- signin-link` in the project's folder.

interface Person {
  id: number | null;
  email: string;
}

/** @throws Error for options that contradict each other */
function readAddressee(): Addressee {
  const { email, user } = parseArgs({
    options: {
      email: { type: "string" },
      user: { type: "string" },
      // There is no other place: the folder has no local instance.
      remote: { type: "boolean" },
    },
  }).values;
  if (email !== undefined && user !== undefined) {
    throw new Error("--email and --user both say whom the link is for. Leave one of them out.");
  }
  if (user !== undefined) return { id: user };
  return email === undefined ? null : { email };
}

/** @throws Error when wrangler fails, after its words were shown */
async function execute(database: string, statements: readonly string[]): Promise<Person[]> {
  const command = ["d1", "execute", database, "--remote", "--config", CONFIG, "--json", "--yes"];
  const { code, stdout } = await runWrangler(
    [...command, "--command", statements.join(";\n")],
    true,
  );
  if (code === 0) return JSON.parse(stdout)[0]?.results ?? [];
  console.error(stdout);
  throw new Error("The link was not made; wrangler's words are above.");
}

function requireOne(people: readonly Person[], to: Addressee): Person {
  const [person, other] = people;
  if (person && !other) return person;
  if (!to) throw new Error("The instance has no owner yet: open its address, and claim it.");
  if (!person) {
    throw new Error(
      `${"id" in to ? to.id : to.email} is not the address of anybody here, and no open invite names it. Invite them first.`,
    );
  }
  const list = people.map(({ id, email }) => `${email} is ${id}`).join(", ");
  throw new Error(`More than one person has this address: ${list}. Say which: --user ${person.id}`);
}

async function main(): Promise<number> {
  const to = readAddressee();
  const { config } = await readConfig();
  writeConfig(config);
  const { path, lookUp, insert } = await prepareLink(to, new Date());
  const database = config.d1_databases[0]?.database_name ?? "";
  const { email } = requireOne(await execute(database, [lookUp, insert]), to);
  const address = config.vars.PUBLIC_URL || process.env.AKIMBO_URL;
  const origin = address ? new URL(address).origin : "https://THE-ADDRESS-OF-YOUR-INSTANCE";
  console.log(`${origin}${path}\n\nIt signs ${email} in, once and within the hour.`);
  return 0;
}

await runInFolder(main, { leftover: REPORT });
