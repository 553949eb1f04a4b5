import { CallRefused, send } from "../call.ts";
import { afterPause } from "../upload/waits.ts";
import { refusalsIn, sayChecks, showRefusals } from "./checks.ts";
import { all, byId, composeForm } from "./page.ts";

const PAUSE_MS = 600;

/** An empty one of them keeps its place. */
const LISTS = new Set(["thread", "mediaId", "altText", "mediaPart"]);

/** What is written in a form, without its files: the preview shows what is stored. */
function writtenIn(form: HTMLFormElement): FormData {
  const data = new FormData();
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string" && (value !== "" || LISTS.has(name))) data.append(name, value);
  }
  return data;
}

async function ask(form: HTMLFormElement): Promise<Document> {
  const address = `/app/compose/preview${new URL(form.action).search}`;
  const answer = await send(address, { method: "POST", body: writtenIn(form) });
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** One call at a time, and the newest counts. */
export function startPreviews(note: HTMLElement): () => void {
  const list = byId("previews-list");
  const say = sayChecks(note);
  let isAsking = false;
  let isStale = false;
  // What the service refused stays until the person changes something: sending finds more than a preview.
  let isRefused = byId("summary") !== null;
  for (const name of ["input", "change", "click"]) {
    composeForm?.addEventListener(name, () => {
      isRefused = false;
    });
  }

  const tell = (refusals: ReturnType<typeof refusalsIn> | null): void => {
    if (isRefused) return;
    showRefusals(refusals ?? []);
    say(refusals);
  };

  const draw = async (): Promise<void> => {
    if (!list || !composeForm) return;
    if (isAsking) {
      isStale = true;
      return;
    }
    if (all("[name=accountId]:checked").length === 0) {
      list.replaceChildren();
      tell(null);
      return;
    }
    isAsking = true;
    isStale = false;
    try {
      const page = await ask(composeForm);
      if (!isStale) {
        tell(page.querySelector("#refusals") && refusalsIn(page));
        show(list, all("li.preview", page));
      }
    } catch (error) {
      // The draft's notice says that there is no line or no session. The next change asks again.
      if (!(error instanceof CallRefused)) throw error;
    } finally {
      isAsking = false;
      if (isStale) draw();
    }
  };
  const drawSoon = afterPause(PAUSE_MS, draw);
  return () => {
    isStale = isAsking;
    drawSoon();
  };
}

/** A picture that was loaded is not loaded again for another text. */
function keepFiles(old: HTMLElement | undefined, fresh: HTMLElement): void {
  const loaded = old ? all("img, video", old) : [];
  for (const file of all("img, video", fresh)) {
    const same = loaded.find((one) => one.outerHTML === file.outerHTML);
    if (same) file.replaceWith(same);
  }
}

function show(list: HTMLElement, fresh: readonly HTMLElement[]): void {
  const before = new Map(all("[data-account]", list).map((one) => [one.dataset.account, one]));
  const next = fresh.map((one) => {
    const old = before.get(one.dataset.account);
    if (old?.innerHTML === one.innerHTML) return old;
    // A picture that changes its document is loaded again: the new preview comes into this one first.
    const adopted = document.adoptNode(one);
    keepFiles(old, adopted);
    return adopted;
  });
  const { children } = list;
  const isSame = next.length === children.length && next.every((one, i) => one === children[i]);
  if (!isSame) list.replaceChildren(...next);
}
