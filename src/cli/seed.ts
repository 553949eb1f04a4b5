import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { migrateAndExecute } from "./d1.ts";
import { OWNER_ONLY } from "./dev-vars.ts";
import { makeFolder } from "./folders.ts";
import { insertFirstOwner } from "./owner.ts";
import { Problem } from "./program.ts";
import { prepareLink } from "./sign-in-statements.ts";
import { sql } from "./sql.ts";
import { countWorkingTokens, createToken, insertToken, isToken } from "./tokens.ts";

const DEMO_OWNER = {
  email: "owner@akimbo.localhost",
  teamName: "Demo",
  teamSlug: "demo",
};

const demoTokenPath = (stateDir: string): string => join(stateDir, "demo-token");

export async function findDemoToken(stateDir: string): Promise<string | null> {
  const text = await readFile(demoTokenPath(stateDir), "utf8").catch(() => "");
  return isToken(text.trim()) ? text.trim() : null;
}

/** @throws Problem when AKIMBO_DEMO_TOKEN is not a token */
export function readDemoTokenVariable(env: NodeJS.ProcessEnv): string | null {
  const token = env.AKIMBO_DEMO_TOKEN;
  if (!token) return null;
  if (!isToken(token)) {
    throw new Problem("AKIMBO_DEMO_TOKEN must be kmb_ followed by 64 lowercase hex digits.");
  }
  return token;
}

/**
 * The token is `chosen`, the token of an earlier start, or a new token. It is null when the database contains a
 * workspace that is not the demo.
 *
 * @param at time by the clock of the instance
 * @throws Problem when the folder cannot be made, or the chosen token is revoked
 */
export async function prepareWorkspace(
  stateDir: string,
  chosen: string | null,
  at: Date,
): Promise<{ token: string | null; signInPath: string }> {
  await makeFolder(stateDir);
  const token = chosen ?? (await findDemoToken(stateDir)) ?? createToken();
  const link = await prepareLink(null, at);
  const state = await migrateAndSeed(stateDir, token, link.insert);
  const prepared = { token: null, signInPath: link.path };
  if (!state.hasDemoOwner) return prepared;
  if (state.isTokenWorking) return { ...prepared, token: await keepToken(stateDir, token) };
  if (chosen) throw new Problem("AKIMBO_DEMO_TOKEN has been revoked here; choose another one.");
  const fresh = createToken();
  await migrateAndSeed(stateDir, fresh, link.insert);
  return { ...prepared, token: await keepToken(stateDir, fresh) };
}

async function keepToken(stateDir: string, token: string): Promise<string> {
  await writeFile(demoTokenPath(stateDir), `${token}\n`, { mode: OWNER_ONLY });
  return token;
}

/** Each database call takes a second or two, so one call does everything. */
async function migrateAndSeed(stateDir: string, token: string, insertLink: string) {
  const results = await migrateAndExecute({ kind: "local", stateDir }, [
    ...insertFirstOwner(DEMO_OWNER, new Date()),
    await insertToken(
      { token, name: "Demo", scopes: ["*"], teamId: null },
      DEMO_OWNER.email,
      new Date(),
    ),
    insertLink,
    sql`SELECT count(*) AS count FROM users WHERE email = ${DEMO_OWNER.email}`,
    await countWorkingTokens(token),
  ]);
  const [hasDemoOwner, isTokenWorking] = results.slice(-2).map(([row]) => row?.count === 1);
  return { hasDemoOwner, isTokenWorking };
}
