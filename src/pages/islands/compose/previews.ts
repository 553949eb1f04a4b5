import { send } from "../call.ts";
import { all, byId, composeForm } from "./page.ts";
import { afterPause } from "./waits.ts";

const PAUSE_MS = 900;

/** A form without its files: the preview shows what is stored. */
function withoutFiles(form: HTMLFormElement): FormData {
  const data = new FormData(form);
  for (const [name, value] of [...data]) if (typeof value !== "string") data.delete(name);
  return data;
}

/** Draws the post as each platform will, after a pause of typing. */
export function startPreviews(): () => void {
  const list = byId("previews-list");
  let isAsking = false;
  let isStale = false;

  const draw = async (): Promise<void> => {
    if (!list || !composeForm) return;
    if (isAsking) {
      isStale = true;
      return;
    }
    if (all("[name=accountId]:checked").length === 0) return list.replaceChildren();
    isAsking = true;
    isStale = false;
    try {
      const address = `/app/compose/preview${new URL(composeForm.action).search}`;
      const answer = await send(address, { method: "POST", body: withoutFiles(composeForm) });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!isStale) show(list, [...page.body.children]);
    } catch {
      // The last preview stays; the next change asks again.
    } finally {
      isAsking = false;
      if (isStale) draw();
    }
  };
  return afterPause(PAUSE_MS, draw);
}

/** A preview that did not change stays in the page, so that a video plays on and focus is not lost. */
function show(list: HTMLElement, fresh: readonly Element[]): void {
  const before = new Map(all("[data-account]", list).map((one) => [one.dataset.account, one]));
  const next = fresh.map((one) => {
    const old = before.get((one as HTMLElement).dataset?.account);
    return old && old.innerHTML === one.innerHTML ? old : document.adoptNode(one);
  });
  const isSame =
    next.length === list.children.length && next.every((one, i) => one === list.children[i]);
  if (!isSame) list.replaceChildren(...next);
}
