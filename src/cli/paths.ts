import { join, relative, resolve } from "node:path";

export const PROJECT_DIR = resolve(import.meta.dirname, "../..");

export const inProject = (...parts: string[]): string => join(PROJECT_DIR, ...parts);

export const COMPILE_CACHE = inProject("node_modules", ".cache", "node");

export const readStateDir = (env: NodeJS.ProcessEnv = process.env): string =>
  resolve(PROJECT_DIR, env.STATE_DIR || ".wrangler/state");

export function showPath(path: string): string {
  const fromProject = relative(PROJECT_DIR, path);
  return fromProject.startsWith("..") ? path : fromProject;
}
