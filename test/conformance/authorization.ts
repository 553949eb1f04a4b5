import { join } from "node:path";
import { type Akimbo, findFreePort } from "../peers/akimbo.ts";
import type { Person } from "./person.ts";
import { runInstalled } from "./programs.ts";
import { listScenarios, readChecks, report, SUITE, type Tally } from "./suite.ts";

/** Runs the scenarios of a revision that are about authorization servers, in one run: each builds on the one before. */
export async function runAuthorization(
  revision: string,
  { origin }: Akimbo,
  person: Person,
  folder: string,
): Promise<Tally> {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  const port = await findFreePort();
  const own = join(folder, revision, "authorization");
  const { printed, complaints } = await runInstalled(
    SUITE,
    [
      ...["authorization", "--url", origin, "--resource", `${origin}/mcp`],
      ...["--client-id", await register(origin, `http://127.0.0.1:${port}/callback`)],
      ...["--port", String(port), "--spec-version", revision, "--output-dir", own],
    ],
    folder,
    (line) => void followIfRequest(line, origin, person),
  );
  for (const scenario of await listScenarios("--authorization", revision, folder)) {
    report(scenario, readChecks(own, scenario), tally, printed + complaints);
  }
  return tally;
}

/** The suite uses no secret where a server takes programs without one. */
async function register(origin: string, callback: string): Promise<string> {
  const response = await fetch(`${origin}/register`, {
    method: "POST",
    headers: { "content-type": "application/json", connection: "close" },
    body: JSON.stringify({
      client_name: "The protocol's conformance suite",
      redirect_uris: [callback],
      token_endpoint_auth_method: "none",
    }),
  });
  return ((await response.json()) as { client_id: string }).client_id;
}

/** The suite prints the address that a person has to open, and waits for the browser at its callback. */
async function followIfRequest(line: string, origin: string, person: Person): Promise<void> {
  const [address] = /http:\S+/.exec(line) ?? [];
  if (!address?.startsWith(`${origin}/authorize?`)) return;
  await fetch(await person.allow(new URL(address)), { headers: { connection: "close" } });
}
