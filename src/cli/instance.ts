import { join } from "node:path";
import type { Host } from "./connection.ts";
import { readStateDir } from "./paths.ts";
import { findDemoToken, readDemoTokenVariable } from "./seed.ts";
import { readPort } from "./server.ts";

const localOrigin = (env: NodeJS.ProcessEnv): string => `http://localhost:${readPort(env)}`;

export const CHECKOUT: Host = {
  command: "npm run cli --",
  uploadsFolder: (env) => join(readStateDir(env), "uploads"),
  findInstance: async (env) => ({
    url: localOrigin(env),
    token: readDemoTokenVariable(env) ?? (await findDemoToken(readStateDir(env))),
    remedy: "Start Akimbo with npm start.",
  }),
  whereInstance: "the local one of npm start",
  advice:
    "There is no demo workspace here. Set AKIMBO_TOKEN to a token of your own, " +
    "or let STATE_DIR name the folder the server was started with.",
};

export const readOrigin = (env: NodeJS.ProcessEnv = process.env): string =>
  env.AKIMBO_URL?.replace(/\/+$/, "") || localOrigin(env);
