import { isPlatform, type Platform } from "../../core/platforms.ts";
import { connectorOf } from "../../platforms/registry.ts";
import type { AccountRow } from "../accounts/table.ts";
import { MAX_ACCOUNTS } from "../content/bounds.ts";

export type OwnAccount = Pick<AccountRow, "id" | "platform" | "accountName" | "handle">;

export interface Targets {
  accounts: OwnAccount[];
  refusals: string[];
}

/** Names of platforms in the files of other services. */
const OTHER_NAMES: Record<string, Platform> = {
  twitter: "x",
  "x (twitter)": "x",
  ig: "instagram",
  fb: "facebook",
  fbg: "facebook",
};

const plainName = (text: string): string => text.trim().replace(/^@/, "").toLowerCase();

function readPlatform(text: string): Platform | null {
  const name = text.trim().toLowerCase();
  if (isPlatform(name)) return name;
  return Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? null) : null;
}

/** Reads ids of accounts, `platform:handle` and names of platforms, separated by commas, semicolons or lines. */
export function readTargets(cell: string, accounts: readonly OwnAccount[]): Targets {
  const names = cell
    .split(/[,;\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length > MAX_ACCOUNTS) {
    return { accounts: [], refusals: [`takes up to ${MAX_ACCOUNTS} accounts.`] };
  }
  const matches = names.map((name) => findAccount(name, accounts));
  return {
    accounts: [...new Set(matches.flatMap((one) => ("refusal" in one ? [] : [one.account])))],
    refusals: matches.flatMap((one) => ("refusal" in one ? [one.refusal] : [])),
  };
}

function findAccount(
  name: string,
  accounts: readonly OwnAccount[],
): { account: OwnAccount } | { refusal: string } {
  const byId = accounts.find(({ id }) => id === name);
  if (byId) return { account: byId };
  const [prefix = "", ...rest] = name.split(":");
  const platform = readPlatform(prefix);
  if (!platform) {
    return {
      refusal: `"${name.slice(0, 80)}" is neither the id of an account nor platform:handle.`,
    };
  }
  const ofPlatform = accounts.filter((account) => account.platform === platform);
  const handle = plainName(rest.join(":"));
  const matches =
    handle === ""
      ? ofPlatform
      : ofPlatform.filter((account) =>
          [account.handle, account.accountName].some((own) => own && plainName(own) === handle),
        );
  const [account, ...others] = matches;
  if (account && others.length === 0) return { account };
  const platformName = connectorOf(platform).name;
  if (account) {
    const ids = matches
      .map(({ id }) => id)
      .join(", ")
      .slice(0, 200);
    return {
      refusal: `${platformName} has ${matches.length} accounts that "${name.slice(0, 80)}" could be. Use the id: ${ids}.`,
    };
  }
  const names = ofPlatform.map(({ platform, accountName }) => `${platform}:${accountName}`);
  return {
    refusal:
      names.length === 0
        ? `No account of ${platformName} is connected.`
        : `No account of ${platformName} is called "${handle.slice(0, 80)}". There is ${names.join(", ").slice(0, 200)}.`,
  };
}
