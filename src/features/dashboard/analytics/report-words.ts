import { isPlatform } from "../../../core/platforms.ts";
import { platformName } from "../../../platforms/registry.ts";
import type { Period, PeriodFilter } from "../../analytics/period.ts";
import type { ListedReport } from "../../reports/service.ts";
import { dayName } from "./chart.tsx";

const SPLIT_WORDS = { none: "", platform: "a line per platform", account: "a line per account" };

function accountInWords(account: string, accounts: Period["accounts"]): string {
  const one = accounts.find(({ id }) => id === account);
  return one ? `${one.name} on ${platformName(one.platform)}` : "a removed account";
}

export function choiceInWords(
  { account, platform, tag, split }: PeriodFilter,
  accounts: Period["accounts"],
): string {
  const parts = [
    account + platform + tag === "" ? "all accounts" : "",
    account === "" ? "" : accountInWords(account, accounts),
    isPlatform(platform) ? `accounts on ${platformName(platform)}` : "",
    tag === "" ? "" : `accounts with the tag ${tag}`,
    SPLIT_WORDS[split],
  ];
  return parts.filter(Boolean).join(", ");
}

export function reportInWords(
  { filter, lastDay }: Pick<ListedReport, "filter" | "lastDay">,
  accounts: Period["accounts"],
): string {
  const { days } = filter;
  const shown =
    lastDay === null
      ? `The newest ${days} days`
      : `${dayName(lastDay - days + 1)} to ${dayName(lastDay)}`;
  return `${shown}, ${choiceInWords(filter, accounts)}`;
}
