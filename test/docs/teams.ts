import { chmod, mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { createApi } from "../../src/cli/api.ts";
import { migrateAndExecute } from "../../src/cli/d1.ts";
import { inProject } from "../../src/cli/paths.ts";
import { createGradientPng } from "../../src/cli/png.ts";
import { createSampleVideo } from "../../src/cli/sample-video.ts";
import { sql } from "../../src/cli/sql.ts";
import { createToken, insertToken } from "../../src/cli/tokens.ts";

const FILM_BYTES = 20_000_000;

/** Makes a person with a team and a token for each guide. Returns the tokens. */
export async function insertTeams(
  stateDir: string,
  guides: readonly string[],
  at: Date,
): Promise<Map<string, string>> {
  const tokens = new Map(guides.map((guide) => [guide, createToken()]));
  const ms = at.getTime();
  const statements = await Promise.all(
    [...tokens].map(async ([guide, token], i) => {
      const slug = `guide-${i + 1}`;
      const email = `${slug}@akimbo.localhost`;
      return [
        sql`INSERT INTO users (email, created_at) VALUES (${email}, ${ms})`,
        sql`INSERT INTO teams (name, slug, owner_id, created_at, updated_at)
          SELECT ${guide}, ${slug}, id, ${ms}, ${ms} FROM users WHERE email = ${email}`,
        sql`INSERT INTO members (team_id, user_id, role, joined_at)
          SELECT id, owner_id, 'OWNER', ${ms} FROM teams WHERE slug = ${slug}`,
        await insertToken({ token, name: "Guide", scopes: ["*"], teamId: null }, email, at),
      ];
    }),
  );
  await migrateAndExecute({ kind: "local", stateDir }, statements.flat());
  return tokens;
}

/** Makes a sandbox account of each platform. Returns their ids by platform. */
export async function connectAccounts(
  origin: string,
  token: string,
  platforms: readonly string[],
): Promise<Map<string, string>> {
  const api = createApi(origin, token);
  const accounts = new Map<string, string>();
  // One after another: the feed of events shows their order.
  for (const platform of platforms) {
    accounts.set(platform, await api.createSandboxAccount(platform, "Demo"));
  }
  return accounts;
}

/** Fills a folder with the files that examples send, and a program `akimbo`. Returns the PATH that finds it. */
export async function prepareFolder(folder: string): Promise<string> {
  const picture = (red: number) =>
    createGradientPng({ width: 640, height: 480, from: [red, 40, 90], to: [250, 200, 120] });
  const programs = join(folder, ".bin");
  await mkdir(programs);
  const program = join(programs, "akimbo");
  await Promise.all([
    writeFile(join(folder, "one.png"), picture(20)),
    writeFile(join(folder, "two.png"), picture(120)),
    writeFile(join(folder, "logo.png"), picture(220)),
    writeFile(join(folder, "film.mp4"), createSampleVideo(folder, FILM_BYTES)),
    writeFile(
      program,
      `#!/bin/sh\nexec "${process.execPath}" "${inProject("src/cli/akimbo.ts")}" "$@"\n`,
    ),
  ]);
  await chmod(program, 0o755);
  return `${programs}${delimiter}${process.env.PATH ?? ""}`;
}
