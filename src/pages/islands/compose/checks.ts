import { CallRefused, call } from "../call.ts";
import { capabilities, hasOwnTitle, type KnownPlatforms } from "./capabilities.ts";
import { type Content, toRestForm } from "./content.ts";
import { all, byId, chosenAccounts, make, showErrors } from "./page.ts";
import { afterPause } from "./waits.ts";

const PAUSE_MS = 600;
/** A change of the summary is said no more often, so that a screen reader is not interrupted by typing. */
const SAY_PAUSE_MS = 1_500;

interface Refusal {
  accountId: string | null;
  error: string;
  fields?: { field: string; message: string }[];
}

interface Verdict {
  valid: boolean;
  errors: Refusal[];
}

/** Ids of controls by fields of the API. */
const CONTROLS: Record<string, string> = {
  photo: "mediaId",
  video: "mediaId",
  file: "mediaId",
  media: "mediaId",
  alt_text: "mediaId",
  thumbnailMediaId: "thumbnail",
  schedule_date: "date",
  scheduledFor: "date",
  accounts: "accountId",
  thread_marks: "thread",
  board_id: "pinterest_board_id",
};

const idOf = (control: string): string => control.replaceAll(".", "-");

function ownId(keys: readonly string[], field: string, shared: string): string {
  const ids = keys.map((key) => `overrides-${key}-${field}`);
  return ids.find((id) => byId<HTMLTextAreaElement>(id)?.value.trim()) ?? shared;
}

const valueAt = (id: string): string => byId<HTMLTextAreaElement>(id)?.value.trim() ?? "";

/** Where a refusal of the API's field stands: the id of a control, before "-error". */
function placeOf(field: string, accountId: string | null, known: KnownPlatforms): string {
  const account = chosenAccounts().find(({ id }) => id === accountId);
  const keys = account ? [account.id, account.platform] : [];
  if (/^(?:title|description|caption)$/.test(field)) {
    const isTitle = field === "title" && (!account || hasOwnTitle(known.get(account.platform)));
    if (isTitle) return ownId(keys, "title", "title");
    const shared = valueAt("description") === "" && valueAt("title") ? "title" : "description";
    return ownId(keys, "caption", shared);
  }
  if (field === "first_comment") return ownId(keys, field, field);
  const name = CONTROLS[field] ?? (field.endsWith("alt_text") ? "mediaId" : field);
  const names = [...keys.map((key) => `${key}-${name}`), name];
  return names.map(idOf).find((id) => byId(`${id}-error`)) ?? "";
}

const NAMED = /^[\w.]+: /;

/** Refusals that the page came with are taken away too, for the answer has them all. */
function showVerdict({ errors }: Verdict, known: KnownPlatforms): void {
  const messages = new Map<string, Set<string>>();
  for (const { accountId, fields = [] } of errors) {
    for (const { field, message } of fields) {
      const place = placeOf(field, accountId, known);
      const own = messages.get(place) ?? new Set();
      messages.set(place, own.add(message.replace(NAMED, "")));
    }
  }
  for (const place of all("p.error[id$=-error]")) {
    const id = place.id.slice(0, -"-error".length);
    showErrors(id, [...(messages.get(id) ?? [])].join(" "));
  }
  for (const list of all("[data-account-errors]")) {
    const own = errors.filter(({ accountId }) => accountId === list.dataset.accountErrors);
    const words = own.map(({ error }) => error.replace(NAMED, ""));
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
      showVerdict({ valid: true, errors: [] }, new Map());
      summary = "";
      return saySoon();
    }
    isAsking = true;
    isStale = false;
    try {
      const known = await capabilities();
      const body = toRestForm(content, zone, known);
      const verdict = await call<Verdict>("POST", "/upload/validate", body);
      if (!isStale) {
        showVerdict(verdict, known);
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
