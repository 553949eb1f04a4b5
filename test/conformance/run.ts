import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../../src/cli/program.ts";
import { REVISIONS } from "../../src/mcp/server.ts";
import { startAkimbo } from "../peers/akimbo.ts";
import { installIn } from "../peers/install.ts";
import { runAuthorization } from "./authorization.ts";
import { replayClients } from "./clients.ts";
import { openDoor } from "./door.ts";
import { inspect } from "./inspect.ts";
import { signOfficialClientIn } from "./official-client.ts";
import { Person } from "./person.ts";
import { runRevision, type Tally } from "./suite.ts";

/** Runs the protocol's public suite against an instance of its own, for every revision that is served. */
async function main(stopping: AbortSignal): Promise<number> {
  await installIn(import.meta.dirname);
  const folder = mkdtempSync(join(tmpdir(), "akimbo-mcp-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  console.log("Starting Akimbo …");
  const akimbo = await startAkimbo(join(folder, "state"), {});
  const { origin, token } = akimbo;
  const url = `${await openDoor(origin, token)}/mcp`;
  const person = await Person.signIn(origin, akimbo.signInLink);
  const tallies: Tally[] = [];
  for (const revision of REVISIONS) {
    tallies.push(await runRevision(revision, url, folder));
    tallies.push(await inspect(revision, url, folder));
    tallies.push(await runAuthorization(revision, akimbo, person, folder));
    tallies.push(await signOfficialClientIn(revision, origin, person));
    stopping.throwIfAborted();
  }
  tallies.push(await replayClients(origin, person));
  const sum = (of: keyof Tally) => tallies.reduce((total, tally) => total + tally[of], 0);
  const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
  console.log(`\n${passed} checks passed, ${failed} failed, ${skipped} do not apply`);
  return failed === 0 ? 0 : 1;
}

await runProgram(main);
