import { isPlatform } from "../../../core/platforms.ts";
import { platformName } from "../../../platforms/registry.ts";
import type { Period } from "../../analytics/period.ts";
import type { ListedReport } from "../../reports/service.ts";
import { dayName } from "./chart.tsx";

const SPLIT_WORDS = { none: "", platform: "a line per platform", account: "a line per account" };

/** Which figures a report has. */
export function reportInWords(
  { filter, lastDay }: Pick<ListedReport, "filter" | "lastDay">,
  accounts: Period["accounts"],
): string {
  const { days, account, platform, tag, split } = filter;
  const one = accounts.find(({ id }) => id === account);
  const parts = [
    lastDay === null
      ? `the newest ${days} days`
      : `${dayName(lastDay - days + 1)} to ${dayName(lastDay)}`,
    account === ""
      ? ""
      : one
        ? `${one.name} on ${platformName(one.platform)}`
        : "a removed account",
    isPlatform(platform) ? `accounts on ${platformName(platform)}` : "",
    tag === "" ? "" : `accounts with the tag ${tag}`,
    account + platform + tag === "" ? "all accounts" : "",
    SPLIT_WORDS[split],
  ];
  return parts.filter(Boolean).join(", ");
}
