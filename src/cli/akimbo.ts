import { runCommandLine } from "./command-line.ts";
import { CHECKOUT } from "./instance.ts";
import { addOwnerCommands } from "./owner-commands.ts";

await runCommandLine(CHECKOUT, addOwnerCommands);
