import { CallRefused, call } from "../call.ts";
import { type Content, toRestForm } from "./content.ts";
import { all, byId, type Control, make, showError } from "./page.ts";
import { afterPause } from "./waits.ts";

const PAUSE_MS = 600;
/** A change of the summary is said no more often, so that a screen reader is not interrupted by typing. */
const SAY_PAUSE_MS = 1_500;

interface Refusal {
  accountId: string | null;
  error: string;
  /** Names the API's field where one is to blame. */
  field?: string | null;
}

interface Verdict {
  valid: boolean;
  errors: Refusal[];
}

/** Names of the page for fields of the API. */
const CONTROL_NAMES: Record<string, string> = {
  caption: "description",
  thread: "thread",
  schedule_date: "date",
  accounts: "accountId",
  alt_text: "altText",
  mediaId: "photo",
  file: "photo",
};

function controlFor({ accountId, field }: Refusal): Control | null {
  if (!field) return null;
  const [own, place] = field.split(".");
  const name = CONTROL_NAMES[own ?? ""] ?? own ?? "";
  const ofAccount = accountId ? byId<Control>(`overrides-${accountId}-${name}`) : null;
  if (ofAccount?.value) return ofAccount;
  const controls = all<Control>(
    `[name="${CSS.escape(name)}"], [name="${CSS.escape(`${accountId}.${name}`)}"], [data-field="${CSS.escape(name)}"]`,
  );
  return controls[Number(place) || 0] ?? controls[0] ?? null;
}

/** Controls with a refusal of ours. Those that the server's page shows are left until they are judged anew. */
let marked = new Set<Element>();

function showVerdict({ errors }: Verdict): void {
  const messages = new Map<Element, string[]>();
  for (const refusal of errors) {
    const control = controlFor(refusal);
    if (control && byId(`${control.id}-error`)) {
      const known = messages.get(control) ?? [];
      messages.set(control, [...new Set([...known, refusal.error])]);
    }
  }
  const before = new Set([...marked, ...all("[aria-invalid=true]")]);
  for (const control of before) if (!messages.has(control)) showError(control, null);
  for (const [control, own] of messages) showError(control, own.join(" "));
  marked = new Set(messages.keys());
  for (const list of all("[data-account-errors]")) {
    const own = errors.filter(({ accountId }) => accountId === list.dataset.accountErrors);
    const words = own.map(({ error }) => error);
    if (list.textContent !== words.join("")) {
      list.replaceChildren(...words.map((text) => make("li", { textContent: text })));
    }
    list.hidden = own.length === 0;
  }
}

function summaryOf({ errors }: Verdict): string {
  if (errors.length === 0) return "Every chosen account takes this post.";
  const accounts = new Set(errors.map(({ accountId }) => accountId).filter(Boolean)).size;
  const general = errors.filter(({ accountId }) => accountId === null).map(({ error }) => error);
  if (general.length > 0) return general.join(" ");
  return accounts === 1
    ? "One account would refuse this post. The reason stands beside it."
    : `${accounts} accounts would refuse this post. The reasons stand beside them.`;
}

/** Asks the API what it would refuse, after a pause of typing; one call at a time, and the newest counts. */
export function startChecks(read: () => Content, zone: string, place: HTMLElement): () => void {
  let isAsking = false;
  let isStale = false;
  let summary = "";
  let isDismissed = false;
  const saySoon = afterPause(SAY_PAUSE_MS, () => {
    if (place.textContent !== summary) place.textContent = summary;
  });

  const ask = async (): Promise<void> => {
    if (isAsking) {
      isStale = true;
      return;
    }
    const content = read();
    if (content.accountIds.length === 0) {
      showVerdict({ valid: true, errors: [] });
      summary = "";
      return saySoon();
    }
    isAsking = true;
    isStale = false;
    try {
      const verdict = await call<Verdict>("POST", "/upload/validate", toRestForm(content, zone));
      if (!isStale) {
        showVerdict(verdict);
        summary = summaryOf(verdict);
        saySoon();
      }
    } catch (error) {
      // The draft's own notice says that there is no line or no session.
      const isTold = error instanceof CallRefused && (error.status === 0 || error.status === 401);
      if (!isTold && error instanceof CallRefused) {
        summary = error.message;
        saySoon();
      }
    } finally {
      isAsking = false;
      if (isStale) ask();
    }
  };
  const askSoon = afterPause(PAUSE_MS, ask);
  return () => {
    // What the server refused at the last sending is out of date with the first change.
    if (!isDismissed) byId("summary")?.remove();
    isDismissed = true;
    if (isAsking) isStale = true;
    askSoon();
  };
}
