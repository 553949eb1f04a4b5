import {
  type Config,
  ConfigError,
  parseConfig,
  requirePlatforms,
  VARIABLE_NAMES,
} from "../config.ts";
import { appKeyNames } from "../core/app-keys.ts";
import { scopeRefusals } from "../features/setup/rules.ts";
import { connectors } from "../platforms/registry.ts";
import { Problem } from "./program.ts";
import { readTomlTables } from "./toml.ts";

export type Vars = Record<string, string>;

export const APP_KEY_NAMES = connectors().flatMap(({ platform, needs, pagesApp }) => [
  ...(needs.app === null ? [] : appKeyNames(platform)),
  ...(pagesApp ? appKeyNames(pagesApp.app) : []),
]);

export const NAMES = [...VARIABLE_NAMES, ...APP_KEY_NAMES];

/** @throws Problem for text that is not a pair, or an unknown variable */
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

export const readTomlVars = (toml: string): Vars =>
  Object.assign({}, ...readTomlTables(toml, "vars"));

/** @throws Problem for missing, malformed and forbidden variables */
export function checkVars(vars: Vars): Config {
  try {
    const config = parseConfig(vars);
    requirePlatforms(config);
    const [refusal] = connectors().flatMap((one) => scopeRefusals(one, config.appScopes));
    if (refusal !== undefined) throw new ConfigError(`Configuration: ${refusal}`);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new Problem(`${error.message}\nEvery setting is explained in .dev.vars.example.`);
  }
}
