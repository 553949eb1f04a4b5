import { APP_NAMES, type AppName, isAppName } from "./platforms.ts";
import type { Read } from "./readers.ts";
import type { privateKey } from "./variables.ts";

/** What a platform calls an app, and how the app proves itself. */
export interface AppKeys {
  clientId: string;
  clientSecret: string;
  configId?: string;
  /** Replaces client id and secret for an app that signs with a key. */
  privateKey?: Read<typeof privateKey>;
}

export const appKeyNames = (app: AppName): [id: string, secret: string] => {
  const name = app.toUpperCase();
  return [`${name}_CLIENT_ID`, `${name}_CLIENT_SECRET`];
};

/** An app without both keys is absent. */
export function readAppKeys(env: object): Partial<Record<AppName, AppKeys>> {
  const vars = env as Record<string, string | undefined>;
  return Object.fromEntries(
    APP_NAMES.flatMap((app) => {
      const [clientId, clientSecret] = appKeyNames(app).map((one) => vars[one]);
      if (!clientId || !clientSecret) return [];
      const configId = vars[`${app.toUpperCase()}_CONFIG_ID`];
      return [[app, { clientId, clientSecret, ...(configId ? { configId } : {}) }]];
    }),
  );
}

const APP_KEY = /^([A-Z0-9_]+)_CLIENT_(?:ID|SECRET)$/;

export const isAppKey = (variable: string): boolean => APP_KEY.test(variable);

/** Names of variables that have a value while the other one of their app has none. */
export const readHalfAppKeys = (env: object): string[] =>
  Object.entries(env).flatMap(([name, value]) => {
    const app = APP_KEY.exec(name)?.[1]?.toLowerCase() ?? "";
    return isAppName(app) && value && !readAppKeys(env)[app] ? [name] : [];
  });
