import { all, byId, makeButton } from "./page.ts";

/** A button beside each block puts it into the text that was written in last, at the caret. */
export function startBlocks(form: HTMLFormElement): void {
  let area = byId<HTMLTextAreaElement>("description");
  form.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLTextAreaElement) area = target;
  });
  for (const block of all("[data-block]", form)) {
    const { textContent: text } = block;
    const insert = () => {
      if (!area?.isConnected) area = byId<HTMLTextAreaElement>("description");
      if (!area) return;
      area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
      area.dispatchEvent(new Event("input", { bubbles: true }));
      area.focus();
    };
    block.after(" ", makeButton("Insert", insert, `Insert ${text}`));
  }
}
