import {
  appKeyNames,
  type Config,
  ConfigError,
  parseConfig,
  requirePlatforms,
  VARIABLE_NAMES,
} from "../config.ts";
import { connectors, PLATFORMS } from "../platforms/registry.ts";
import { Problem } from "./program.ts";

export type Vars = Record<string, string>;

/** The keys of the owner's apps, at each platform that needs one. */
export const APP_KEY_NAMES = connectors().flatMap(({ platform, needs }) =>
  needs.app === null ? [] : appKeyNames(platform),
);

/** The names a person can set. */
export const NAMES = [...VARIABLE_NAMES, ...APP_KEY_NAMES];

/**
 * `NAME:VALUE` pairs, the value being all after the first colon.
 *
 * @throws Problem naming what is no pair, and what is no variable of the Worker
 */
export function parseVarOptions(options: readonly string[]): Vars {
  const vars: Vars = {};
  for (const option of options) {
    const colon = option.indexOf(":");
    const name = option.slice(0, Math.max(colon, 0));
    if (!name) throw new Problem(`--var needs NAME:VALUE, not "${option}".`);
    if (!NAMES.includes(name)) {
      throw new Problem(`Unknown variable ${name}. The Worker knows ${NAMES.join(", ")}.`);
    }
    vars[name] = option.slice(colon + 1);
  }
  return vars;
}

const TABLE = /^\s*\[+([^\]]+)\]+/;
const STRING_ENTRY = /^\s*"?(\w+)"?\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*')\s*(?:#.*)?$/;

/**
 * The one-line strings under `[vars]`. Anything else TOML can say there is left to the Worker, which
 * checks its variables itself.
 */
export function readTomlVars(toml: string): Vars {
  const vars: Vars = {};
  let table = "";
  for (const line of toml.split(/\r?\n/)) {
    table = TABLE.exec(line)?.[1]?.trim() ?? table;
    const [, name, literal] = STRING_ENTRY.exec(line) ?? [];
    if (table !== "vars" || !name || !literal) continue;
    vars[name] = literal.startsWith("'") ? literal.slice(1, -1) : String(JSON.parse(literal));
  }
  return vars;
}

/** @throws Problem naming every variable that is missing, malformed or not allowed */
export function checkVars(vars: Vars): Config {
  try {
    const config = parseConfig(vars);
    requirePlatforms(config, PLATFORMS);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new Problem(`${error.message}\nEvery setting is explained in .dev.vars.example.`);
  }
}
