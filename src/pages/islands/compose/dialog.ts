import { make, makeButton } from "./page.ts";

export function openDialog(title: string, ...content: Node[]): HTMLDialogElement {
  const heading = make("h2", { id: "dialog-title", textContent: title });
  const dialog = make("dialog", { className: "menu" }, heading, ...content);
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.append(makeButton("Close", () => dialog.close()));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
