import { formatBytes } from "../../../core/counts.ts";
import { CallRefused, call } from "../call.ts";
import type { StoredFile } from "../upload/storage.ts";
import { afterPause } from "../upload/waits.ts";
import { openDialog } from "./dialog.ts";
import { make, makeButton } from "./page.ts";

const SHOWN = 24;
const SEARCH_PAUSE_MS = 300;

function choiceOf(file: StoredFile): HTMLElement {
  const box = make("input", { type: "checkbox", value: file.mediaId });
  const address = file.thumbnailUrl ?? (file.kind === "image" ? file.url : null);
  const name = file.name ?? `${file.kind}, ${formatBytes(file.sizeBytes)}`;
  return make(
    "li",
    {},
    make(
      "label",
      {},
      box,
      ...(address
        ? [make("img", { src: address, alt: "", loading: "lazy", className: "thumb" })]
        : []),
      make("span", { textContent: name }),
    ),
  );
}

export function chooseFromLibrary(onChosen: (files: StoredFile[]) => void): void {
  const words = make("input", { type: "search", id: "library-words", autocomplete: "off" });
  const label = make("label", { htmlFor: words.id, textContent: "Search by name" });
  const list = make("ul", { className: "library" });
  const status = make("p", { className: "muted", role: "status" });
  const known = new Map<string, StoredFile>();
  const add = makeButton("Add to the post", () => {
    const boxes = [...list.querySelectorAll<HTMLInputElement>(":checked")];
    dialog.close();
    onChosen(boxes.flatMap(({ value }) => known.get(value) ?? []));
  });
  add.classList.remove("quiet");
  const dialog = openDialog("Files of the library", label, words, list, status, add);
  let newest = 0;
  const load = async () => {
    const turn = ++newest;
    const query = new URLSearchParams({ limit: String(SHOWN) });
    if (words.value.trim()) query.set("search", words.value.trim());
    try {
      const { data } = await call<{ data: StoredFile[] }>("GET", `/media?${query}`);
      if (turn !== newest) return;
      for (const file of data) known.set(file.mediaId, file);
      list.replaceChildren(...data.map(choiceOf));
      status.textContent = data.length === 0 ? "No file has this name." : "";
      if (data.length === 0 && words.value === "") {
        status.textContent = "The library is empty. Files that you add to posts appear here.";
      }
    } catch (error) {
      status.textContent = error instanceof CallRefused ? error.message : String(error);
    }
  };
  words.addEventListener("input", afterPause(SEARCH_PAUSE_MS, load));
  load();
}
