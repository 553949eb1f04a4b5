import { join, relative, resolve } from "node:path";

export const PROJECT_DIR = resolve(import.meta.dirname, "../..");

export const inProject = (...parts: string[]): string => join(PROJECT_DIR, ...parts);

/** Where Node keeps the code of other programs as it has compiled it: they start in less. */
export const COMPILE_CACHE = inProject("node_modules", ".cache", "node");

/** Where everything local is kept: database, media, logs, the demo token. */
export const readStateDir = (env: NodeJS.ProcessEnv = process.env): string =>
  resolve(PROJECT_DIR, env.STATE_DIR || ".wrangler/state");

/** A path as a person in the project folder would write it. */
export function showPath(path: string): string {
  const fromProject = relative(PROJECT_DIR, path);
  return fromProject.startsWith("..") ? path : fromProject;
}
