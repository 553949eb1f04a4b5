import { AppError } from "../../../core/errors.ts";
import { isPlatform } from "../../../core/platforms.ts";
import { isBrokenText } from "../../../core/text.ts";
import { PERIODS, type PeriodFilter, SPLITS } from "../../analytics/period.ts";

export const PATH = "/app/analytics";

const MAX_CHARACTERS = 200;

const DEFAULT_DAYS = 30;

/** Reports and ignores invalid values. */
export function readFilter(query: Record<string, string>): {
  filter: PeriodFilter;
  mistakes: string[];
} {
  const mistakes: string[] = [];
  const read = <T>(name: string, known: (text: string) => T | undefined, mistake: string) => {
    const text = (query[name] ?? "").trim();
    if (text === "") return undefined;
    const found = known(text);
    if (found === undefined) mistakes.push(mistake);
    return found;
  };
  const short = (text: string) =>
    text.length <= MAX_CHARACTERS && !isBrokenText(text) ? text : undefined;
  const filter: PeriodFilter = {
    days:
      read(
        "period",
        (text) => PERIODS.find((days) => String(days) === text),
        `Choose a period of ${PERIODS.slice(0, -1).join(", ")} or ${PERIODS.at(-1)} days.`,
      ) ?? DEFAULT_DAYS,
    split:
      read("split", (text) => SPLITS.find((one) => one === text), "There is no such split.") ??
      "none",
    account: read("account", short, "There is no such account.") ?? "",
    platform:
      read(
        "platform",
        (text) => (isPlatform(text) ? text : undefined),
        "There is no such platform.",
      ) ?? "",
    tag: read("tag", short, "There is no such tag.") ?? "",
  };
  return { filter, mistakes };
}

/** @throws AppError 400 for invalid values */
export function requireFilter(query: Record<string, string>): PeriodFilter {
  const { filter, mistakes } = readFilter(query);
  if (mistakes.length > 0) throw new AppError(null, mistakes.join(" "));
  return filter;
}

/** `path` is below /app/analytics. */
export function addressOf(
  { days, split, account, platform, tag }: PeriodFilter,
  path = "",
  more: Record<string, string> = {},
): string {
  const params = new URLSearchParams({ period: String(days) });
  const fields = { account, platform, tag, split: split === "none" ? "" : split, ...more };
  for (const [name, value] of Object.entries(fields)) if (value !== "") params.set(name, value);
  return `${PATH}${path}?${params}`;
}

export const accountPath = (id: string): string => `${PATH}/accounts/${encodeURIComponent(id)}`;

export const postPath = (accountId: string, postId: string): string =>
  `${PATH}/posts/${encodeURIComponent(accountId)}/${encodeURIComponent(postId)}`;

export const picturePath = (uploadId: number): string => `${PATH}/pictures/${uploadId}`;
