import { afterPause } from "../upload/waits.ts";
import { all, byId, make, showErrors } from "./page.ts";

/** Said no more often, so that a screen reader is not interrupted by typing. */
const SAY_PAUSE_MS = 1_500;

interface Refusal {
  control: string;
  /** Empty for what is wrong for every account. */
  accountId: string;
  message: string;
}

export const refusalsIn = (page: ParentNode): Refusal[] =>
  all("#refusals [data-control]", page).map(({ dataset, textContent }) => ({
    control: dataset.control ?? "",
    accountId: dataset.account ?? "",
    message: textContent ?? "",
  }));

const unique = (messages: readonly string[]): string[] => [...new Set(messages)];

/** Refusals that the page came with are taken away too, for these are all of them. */
export function showRefusals(refusals: readonly Refusal[]): void {
  for (const place of all("p.error[id$=-error]")) {
    const id = place.id.slice(0, -"-error".length);
    const own = refusals.filter(({ control }) => control === id);
    showErrors(id, unique(own.map(({ message }) => message)).join(" "));
  }
  for (const list of all("[data-account-errors]")) {
    const own = refusals.filter(({ accountId }) => accountId === list.dataset.accountErrors);
    const words = unique(own.map(({ message }) => message));
    if (list.textContent !== words.join("")) {
      list.replaceChildren(...words.map((text) => make("li", { textContent: text })));
    }
    list.hidden = words.length === 0;
  }
  byId("summary")?.remove();
}

function wordsOf(refusals: readonly Refusal[]): string {
  const general = refusals.filter(({ control, accountId }) => control === "" && accountId === "");
  if (general.length > 0) return unique(general.map(({ message }) => message)).join(" ");
  if (all("li.file.failed").length > 0) return "A file is not stored.";
  if (refusals.length === 0) return "Every chosen account takes this post.";
  const accounts = new Set(refusals.map(({ accountId }) => accountId).filter(Boolean)).size;
  return accounts > 1
    ? `${accounts} accounts would refuse this post. The reasons stand beside them.`
    : "This post would be refused. The reason stands beside its field.";
}

export function sayChecks(place: HTMLElement): (refusals: readonly Refusal[] | null) => void {
  let words = "";
  const saySoon = afterPause(SAY_PAUSE_MS, () => {
    if (place.textContent !== words) place.textContent = words;
  });
  return (refusals) => {
    words = refusals ? wordsOf(refusals) : "";
    saySoon();
  };
}
