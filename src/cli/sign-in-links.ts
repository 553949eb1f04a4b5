import { addSeconds } from "../core/time.ts";
import { execute, type Place } from "./d1.ts";
import { chooseOne } from "./people.ts";
import { Problem } from "./program.ts";
import { readPort } from "./server.ts";
import { type Addressee, prepareLink } from "./sign-in-statements.ts";
import { readDeployedVars, readLocalVars } from "./team-database.ts";

/** @throws Problem for a person who may not sign in */
export async function createLink(
  place: Place,
  to: Addressee,
): Promise<{ path: string; email: string }> {
  const { path, lookUp, insert } = await prepareLink(to, await timeAt(place));
  const [people = []] = await execute(place, [lookUp, insert]);
  const recipient = to && ("id" in to ? to.id : to.email);
  const person = recipient === null ? people[0] : chooseOne(people, recipient);
  if (person) return { path, email: String(person.email) };
  throw new Problem(
    recipient === null
      ? "There is nobody yet who could sign in. Run `npm start`, or `npm run deploy` with --remote."
      : `${recipient} is not the address of anybody here, and no open invite names it. Invite them first.`,
  );
}

async function timeAt(place: Place): Promise<Date> {
  const offset = place.kind === "local" ? (await readLocalVars()).CLOCK_OFFSET : "";
  return addSeconds(new Date(), Number(offset || 0));
}

/** @throws Problem when no setting contains the instance's address */
export async function findOrigin(
  place: Place,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  if (place.kind === "local") {
    return (await readLocalVars()).PUBLIC_URL || `http://localhost:${readPort(env)}`;
  }
  const origin = (await readDeployedVars(place.config)).PUBLIC_URL || env.AKIMBO_URL;
  if (origin) return new URL(origin).origin;
  throw new Problem("Say where the instance is: AKIMBO_URL=https://akimbo.example.workers.dev");
}
