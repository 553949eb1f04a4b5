import { addClientDoctor } from "./client-doctor.ts";
import { addClientTokens } from "./client-tokens.ts";
import { runCommandLine } from "./command-line.ts";
import { PACKAGED } from "./packaged.ts";
import { Problem } from "./program.ts";

const OWNER_COMMANDS = {
  plan: "the plan of a team",
  credits: "X credits of a team",
  suggestions: "what people suggest",
  keys: "logins by encryption key",
  "signin-link": "a link that signs one person in",
} as const;

await runCommandLine(PACKAGED, (program, setting) => {
  addClientDoctor(program, setting);
  addClientTokens(program, setting);
  for (const [name, what] of Object.entries(OWNER_COMMANDS)) {
    program
      .command(name)
      .description(`${what}: for the owner, in the folder of the project`)
      .argument("[arguments...]")
      .allowUnknownOption()
      .action(() => {
        throw new Problem(
          `akimbo ${name} works in the database of the instance. In the folder that it is deployed from: npm run cli -- ${name} …`,
        );
      });
  }
});
